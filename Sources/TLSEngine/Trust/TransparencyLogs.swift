internal import COpenSSL
public import Files
internal import Foundation

/// The Certificate Transparency logs in a file: whose timestamps count, and until when.
///
/// The file is a list in the JSON format that browsers publish, version 3 (`log_list.json`, `all_logs_list.json`), or
/// a CTLOG_FILE of OpenSSL (CTLOG_STORE_new(3)).
public final class TransparencyLogs: Sendable {
    let byID: [[UInt8]: TransparencyLog]
    /// The time of the list, in seconds since 1970-01-01 UTC; nil if the list has none.
    public let listTime: Int64?

    /// Reads a list.
    public init(path: String) throws(TransparencyLogsError) {
        let bytes = try Self.read(path)
        do throws(TransparencyLogsError.Fault) {
            let isJSON = bytes.first { !Self.blanks.contains($0) } == UInt8(ascii: "{")
            let list = isJSON ? try ListedLogs(json: bytes) : try ListedLogs(configuration: bytes)
            guard !list.logs.isEmpty else { throw .init(place: nil, what: "the list is empty") }
            byID = Dictionary(list.logs.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            listTime = list.time
        } catch {
            throw .malformed(path: path, error)
        }
    }

    public var count: Int { byID.count }

    private static func read(_ path: String) throws(TransparencyLogsError) -> [UInt8] {
        let bytes: [UInt8]
        do { bytes = try InputFile.bytes(of: path, upTo: limitBytes + 1) } catch {
            throw .unreadable(path: path, error)
        }
        guard bytes.count > limitBytes else { return bytes }
        throw .malformed(path: path, .init(place: nil, what: "the file is larger than \(limitBytes >> 20) MiB"))
    }

    private static let blanks = Array(" \t\r\n".utf8)
    /// Longest accepted file, in bytes: the list of all logs that ever existed is below 1 MiB.
    private static let limitBytes = 16 << 20
}

/// One log of Certificate Transparency. Source: RFC 6962 section 3.
struct TransparencyLog: Sendable {
    /// The period in which the log's timestamps count.
    enum Approval: Sendable {
        case stands
        /// Before this time, in seconds since 1970-01-01 UTC.
        case until(Int64)
        case never
    }

    /// SHA-256 of the public key.
    let id: [UInt8]
    /// The public key only.
    let key: PrivateKey
    var operatorName: String?
    var approval = Approval.stands
    var isTiled = false

    /// - Parameter base64: of the DER of the public key.
    /// - Returns: nil if the key cannot be read.
    init?(keyBase64 base64: String) {
        guard let der = Data(base64Encoded: base64).map({ Array($0) }), !der.isEmpty else { return nil }
        let raw = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var cursor = bytes.baseAddress
            return d2i_PUBKEY(nil, &cursor, bytes.count)
        }
        ErrorQueue.clear()
        guard let raw else { return nil }
        key = PrivateKey(owned: raw)
        id = sha256(der)
    }
}

/// The content of a list of logs, in either format.
struct ListedLogs {
    var logs: [TransparencyLog] = []
    /// Seconds since 1970-01-01 UTC.
    var time: Int64?
}

/// The reason why a list of logs cannot be used. Every case names the file.
public enum TransparencyLogsError: Error, Sendable, Hashable {
    /// The problem and its place.
    public struct Fault: Error, Sendable, Hashable {
        /// A key path such as `operators[0].logs[2].key`, a section and its key, or a line; nil for the whole file.
        public var place: String?
        /// A sentence without a full stop.
        public var what: String
    }

    case unreadable(path: String, FileFault)
    case malformed(path: String, Fault)

    /// `FILE: PLACE: WHAT`, without the place if it is unknown.
    public var sentence: String {
        switch self {
        case .unreadable(let path, let fault): "\(path) cannot be read: \(fault.words)"
        case .malformed(let path, let fault):
            [path, fault.place, fault.what].compactMap(\.self).joined(separator: ": ")
        }
    }
}
