package import Records

extension Spool {
    /// Loads after one number, in order, with the rows that they share. Refilled by
    /// ``Spool/fill(_:after:count:bytes:)``.
    public struct Batch: Sendable {
        /// The loads by the numbers of their rows.
        package internal(set) var loads: [(number: Int64, columns: LoadColumns)] = []
        /// The shared rows and the diagnoses of the loads, by their numbers.
        package internal(set) var shared: [Int64: SpooledRow] = [:]
        package internal(set) var diagnoses: [Int64: SpooledRow] = [:]
        /// The number of the last row that was read. All loads up to it were read.
        package internal(set) var end: Int64 = 0
        /// The id of that row; nil if none was read.
        package internal(set) var last: LoadID?
        /// True if the spool has no more loads yet.
        public internal(set) var isLast = true
        /// Recordings that began since the last batch, with their start in milliseconds since 1970-01-01 UTC.
        package var recordings: [(name: String, begin: Int64)] = []

        public init() {}
    }
}

/// A row that loads share, to be shipped to a shared store.
package final class SpooledRow: Sendable {
    /// A number that is unique in this process. A row that is read again gets another.
    package let serial: Int
    /// The values of its columns, in the order of ``sharedColumns`` or ``diagnosisColumns``.
    package let values: [String?]
    /// The text of the handshake; nil if there was none, and for a diagnosis.
    package let handshake: String?

    init(serial: Int, values: [String?], handshake: String?) {
        self.serial = serial
        self.values = values
        self.handshake = handshake
    }

    /// The columns of a shared row, and those of a diagnosis.
    package static let sharedColumns = [
        "recording", "host", "verdict", "os", "label", "entrance", "policy", "bundle", "mode", "text",
    ]
    package static let diagnosisColumns = ["rule", "text"]

    /// The approximate size in memory.
    var bytes: Int { values.reduce((handshake?.utf8.count ?? 0) + 128) { $0 + ($1?.utf8.count ?? 0) } }
}
