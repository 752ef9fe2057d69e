import ATSPolicy

/// The part of a record's JSON that many loads share, with a blank wherever one load differs from the next.
///
/// A blank is the byte 1, which never occurs in JSON (RFC 8259 section 7: control characters are always escaped). An
/// entry contains the values of one load for the blanks, in order and separated by the same byte; the first value is
/// the id. Form and entry together are the record's JSON, byte for byte.
public final class RecordForm: Sendable {
    /// UTF-8 text with blanks.
    public let text: [UInt8]
    /// The origin's handshake, complete, unlike in JSON; nil if there was none.
    public let handshake: RecordedHandshake?
    /// Approximate size in memory.
    public var bytes: Int { text.count + blanks.count * 8 + (handshake?.facts?.bytes ?? 0) + 128 }
    /// Indexes of the blanks in `text`.
    private let blanks: [Int]
    private let digest: Int

    public init(text: [UInt8], handshake: RecordedHandshake? = nil) {
        self.text = text
        self.handshake = handshake
        blanks = text.indices.filter { text[$0] == Self.blank }
        var hasher = Hasher()
        // Hashing the array itself would add its bytes one by one.
        text.withUnsafeBytes { hasher.combine(bytes: $0) }
        digest = hasher.finalize()
    }

    /// The number of values in an entry.
    public var blankCount: Int { blanks.count }

    /// Appends the text with its blanks filled from `entry`.
    ///
    /// - Returns: false if values and blanks differ in number; `bytes` is then invalid.
    public func fill(from entry: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) -> Bool {
        var start = 0
        var values: Slice? = entry[...]
        for blank in blanks {
            guard let rest = values else { return false }
            let end = rest.firstIndex(of: Self.blank)
            bytes.append(contentsOf: text[start..<blank])
            bytes.append(contentsOf: rest[..<(end ?? rest.endIndex)])
            values = end.map { rest[($0 + 1)...] }
            start = blank + 1
        }
        bytes.append(contentsOf: text[start...])
        return values == nil
    }

    /// The byte between the values of an entry, and in a form the place of a value.
    public static let blank: UInt8 = 1
}

/// Compares forms by text and handshake, not by the parts that they were made of.
extension RecordForm: Hashable {
    public static func == (one: RecordForm, other: RecordForm) -> Bool {
        one === other || (one.digest == other.digest && one.text == other.text && one.handshake == other.handshake)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}
