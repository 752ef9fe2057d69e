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

extension ListedLogs {
    /// Reads the keys, operators and states of the JSON format. Source:
    /// https://www.gstatic.com/ct/log_list/v3/log_list_schema.json.
    ///
    /// Qualified, usable and read-only logs are approved. A retired log was approved until it retired. Pending and
    /// rejected logs are not approved. Apple's systems build their list by the same states. Source: apple-oss-distributions/
    /// security_certificates 55349.0.11, BuildTrustedCTLogsPlist.py; apple/apple-root-program, CT log programme;
    /// docs/law/transparency.md#list-of-logs.
    init(json bytes: [UInt8]) throws(TransparencyLogsError.Fault) {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(bytes))
        } catch let error as DecodingError {
            throw TransparencyLogsError.Fault(error, in: bytes)
        } catch {
            throw .init(place: nil, what: "not JSON")
        }
        time = try document.log_list_timestamp.map { text throws(TransparencyLogsError.Fault) in
            try Self.seconds(text, at: "log_list_timestamp")
        }
        for (number, group) in document.operators.enumerated() {
            for (index, entry) in (group.logs ?? []).enumerated() {
                logs.append(try Self.log(entry, of: group, at: "operators[\(number)].logs[\(index)]"))
            }
            for (index, entry) in (group.tiled_logs ?? []).enumerated() {
                var log = try Self.log(entry, of: group, at: "operators[\(number)].tiled_logs[\(index)]")
                log.isTiled = true
                logs.append(log)
            }
        }
    }

    private static func log(
        _ entry: Entry, of group: Operator, at place: String
    ) throws(TransparencyLogsError.Fault) -> TransparencyLog {
        guard var log = TransparencyLog(keyBase64: entry.key) else {
            throw .init(place: "\(place).key", what: "not a public key in Base64")
        }
        guard Data(base64Encoded: entry.log_id).map({ Array($0) }) == log.id else {
            throw .init(place: "\(place).log_id", what: "not the SHA-256 of the log's key")
        }
        log.operatorName = group.name
        let state = entry.state
        if state?.rejected != nil || state?.pending != nil {
            log.approval = .never
        } else if let retired = state?.retired {
            log.approval = .until(try seconds(retired.timestamp, at: "\(place).state.retired.timestamp"))
        } else if let state, state.qualified == nil, state.usable == nil, state.readonly == nil {
            throw .init(place: "\(place).state", what: "not a known state of a log")
        }
        return log
    }

    private static func seconds(_ text: String, at place: String) throws(TransparencyLogsError.Fault) -> Int64 {
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        for style in styles {
            if let date = try? style.parse(text) { return Int64(date.timeIntervalSince1970.rounded(.down)) }
        }
        throw .init(place: place, what: "not a time such as 2026-01-31T00:00:00Z")
    }
}

// Property names match the file's keys.
private struct Document: Decodable {
    var log_list_timestamp: String?
    var operators: [Operator]
}

private struct Operator: Decodable {
    var name: String
    var logs: [Entry]?
    var tiled_logs: [Entry]?
}

private struct Entry: Decodable {
    struct Since: Decodable { var timestamp: String }

    struct State: Decodable {
        var pending: Since?
        var qualified: Since?
        var usable: Since?
        var readonly: Since?
        var retired: Since?
        var rejected: Since?
    }

    var log_id: String
    var key: String
    var state: State?
}

extension TransparencyLogsError.Fault {
    fileprivate init(_ error: DecodingError, in bytes: [UInt8]) {
        switch error {
        case .keyNotFound(let key, let context): self.init(context.codingPath + [key], "this key is missing")
        case .typeMismatch(_, let context): self.init(context.codingPath, "this has the wrong type")
        case .valueNotFound(_, let context): self.init(context.codingPath, "this is null")
        case .dataCorrupted(let context):
            self.init(context.codingPath, "not JSON" + Self.detail(of: bytes))
        @unknown default: self.init([], "not JSON")
        }
    }

    private init(_ path: [any CodingKey], _ what: String) {
        let place = path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        self.init(place: place.isEmpty ? nil : String(place.trimmingPrefix(".")), what: what)
    }

    /// The position of the syntax error: on Linux `JSONDecoder` does not report it, but `JSONSerialization` does.
    private static func detail(of bytes: [UInt8]) -> String {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(bytes))
            return ""
        } catch {
            return ((error as NSError).userInfo["NSDebugDescription"] as? String).map { ": \($0)" } ?? ""
        }
    }
}

extension ListedLogs {
    /// Reads a CTLOG_FILE: `enabled_logs` names sections, each with the `key` of a log. The format has no operators,
    /// states or dates, so all its logs are approved. Source: CTLOG_STORE_new(3), ct_log.c of OpenSSL 3.0.
    init(configuration bytes: [UInt8]) throws(TransparencyLogsError.Fault) {
        guard let configuration = NCONF_new(nil) else { throw .init(place: nil, what: "out of memory") }
        defer {
            NCONF_free(configuration)
            ErrorQueue.clear()
        }
        var line = 0
        let isRead = bytes.withUnsafeBytes { bytes in
            guard let source = MemoryBIO(reading: bytes) else { return false }
            return NCONF_load_bio(configuration, source.raw, &line) == 1
        }
        guard isRead else {
            throw .init(place: "line \(line)", what: "neither JSON nor a setting or section of a CTLOG_FILE")
        }
        guard let enabled = NCONF_get_string(configuration, nil, "enabled_logs").map({ String(cString: $0) }) else {
            throw .init(place: "enabled_logs", what: "this setting is missing, and the file is not JSON")
        }
        for name in enabled.split(separator: ",") {
            let section = name.trimmingCharacters(in: .whitespaces)
            if section.isEmpty { continue }
            guard let key = NCONF_get_string(configuration, section, "key") else {
                throw .init(place: "[\(section)]", what: "the section or its key is missing")
            }
            guard let log = TransparencyLog(keyBase64: String(cString: key)) else {
                throw .init(place: "[\(section)] key", what: "not a public key in Base64")
            }
            logs.append(log)
        }
    }
}

/// The entry that a Certificate Transparency log signs. Source: RFC 6962 sections 3.1 and 3.2.
///
/// OpenSSL's own check of timestamps can only load its logs from files of one format (CTLOG_STORE_load_file(3)).
/// Therefore the signed bytes are built here.
enum LogEntry {
    /// DER of a whole certificate, for timestamps from the handshake and from a stapled response.
    case certificate([UInt8])
    /// For embedded timestamps: the certificate's body without them, and the SHA-256 of its issuer's key.
    case precertificate(body: [UInt8], issuerKeyHash: [UInt8])

    init(_ certificate: OpaquePointer) {
        self = .certificate(encoded { i2d_X509(certificate, $0) })
    }

    /// - Returns: nil if memory runs out.
    init?(precertificateOf certificate: OpaquePointer, issuer: OpaquePointer) {
        guard let copy = X509_dup(certificate) else { return nil }
        defer { X509_free(copy) }
        let place = X509_get_ext_by_NID(copy, NID_ct_precert_scts, -1)
        if place >= 0 { X509_EXTENSION_free(X509_delete_ext(copy, place)) }
        let body = encoded { i2d_re_X509_tbs(copy, $0) }
        let key = encoded { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(issuer), $0) }
        guard !body.isEmpty, !key.isEmpty else { return nil }
        self = .precertificate(body: body, issuerKeyHash: sha256(key))
    }

    /// Returns the bytes that a timestamp's signature covers.
    func signedBytes(milliseconds: UInt64, extensions: [UInt8]) -> [UInt8] {
        let version: UInt8 = 0
        let certificateTimestamp: UInt8 = 0
        var bytes = [version, certificateTimestamp] + TimestampList.bigEndian(milliseconds, bytes: 8)
        switch self {
        case .certificate(let der):
            bytes += TimestampList.bigEndian(0, bytes: 2) + TimestampList.bigEndian(UInt64(der.count), bytes: 3) + der
        case .precertificate(let body, let issuerKeyHash):
            bytes += TimestampList.bigEndian(1, bytes: 2) + issuerKeyHash
            bytes += TimestampList.bigEndian(UInt64(body.count), bytes: 3) + body
        }
        return bytes + TimestampList.sized(extensions)
    }
}

/// A Certificate Transparency log that signs every certificate. Lab origins use it. Source: RFC 6962.
public final class LogIdentity: Sendable {
    /// SHA-256 of the public key.
    let id: [UInt8]
    private let key: PrivateKey
    /// DER of the public key.
    private let publicKey: [UInt8]

    /// Creates a log with a new P-256 key.
    public init() throws(CertificateError) {
        key = try PrivateKey(.ec(curve: .p256))
        let raw = key.raw
        publicKey = encoded { i2d_PUBKEY(raw, $0) }
        id = sha256(publicKey)
    }

    /// Creates a log with another log's id but a different key: none of its timestamps verifies.
    public init(forging other: LogIdentity) throws(CertificateError) {
        key = try PrivateKey(.ec(curve: .p256))
        publicKey = other.publicKey
        id = other.id
    }

    /// The log's `log_id` in a list of logs.
    public var idBase64: String { Data(id).base64EncodedString() }
    /// The log's `key` in a list of logs.
    public var keyBase64: String { Data(publicKey).base64EncodedString() }

    /// Signs a timestamp for a certificate, to deliver outside the certificate.
    ///
    /// - Parameter seconds: seconds since 1970-01-01 UTC.
    public func timestamp(on certificate: Certificate, at seconds: Int64) throws(CertificateError) -> [UInt8] {
        try timestamp(on: LogEntry(certificate.raw), at: seconds)
    }

    func timestamp(on entry: LogEntry, at seconds: Int64) throws(CertificateError) -> [UInt8] {
        let milliseconds = UInt64(clamping: seconds) &* 1_000
        let signature = try key.signature(on: entry.signedBytes(milliseconds: milliseconds, extensions: []))
        return TimestampList.timestamp(log: id, milliseconds: milliseconds, signature: signature)
    }
}

extension PrivateKey {
    /// Signs with SHA-256.
    fileprivate func signature(on bytes: [UInt8]) throws(CertificateError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .latest }
        defer { EVP_MD_CTX_free(context) }
        var count = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, raw) == 1,
            EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1
        else { throw .latest }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1 else { throw .latest }
        return Array(signature.prefix(count))
    }

    /// True if an SHA-256 signature is valid. Needs the public key only.
    func verifies(_ signature: [UInt8], on bytes: [UInt8]) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ErrorQueue.clear()
        }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, raw) == 1
            && EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
    }
}

/// Encodes signed certificate timestamps. Source: RFC 6962 sections 3.2 and 3.3.
enum TimestampList {
    /// Returns a SignedCertificateTimestamp of version 1 without extensions.
    static func timestamp(log: [UInt8], milliseconds: UInt64, signature: [UInt8]) -> [UInt8] {
        let version: [UInt8] = [0]
        let extensions: [UInt8] = [0, 0]
        // RFC 5246 section 7.4.1.4.1: SHA-256 with ECDSA.
        let algorithm: [UInt8] = [4, 3]
        return version + log + bigEndian(milliseconds, bytes: 8) + extensions + algorithm + sized(signature)
    }

    /// Returns the content of the TLS extension.
    static func tls(_ timestamps: [[UInt8]]) -> [UInt8] { sized(timestamps.flatMap { sized($0) }) }

    /// Returns the extension value for a certificate or an OCSP response: an OCTET STRING around the same list.
    static func der(_ timestamps: [[UInt8]]) -> [UInt8] { octetString(tls(timestamps)) }

    /// Returns the bytes after their count in two bytes.
    static func sized(_ bytes: [UInt8]) -> [UInt8] { bigEndian(UInt64(bytes.count), bytes: 2) + bytes }

    /// Returns the low bytes of a number, the highest first.
    static func bigEndian(_ number: UInt64, bytes: UInt64) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// Returns DER with a length field of one to three bytes. Source: X.690 section 8.1.3.
    private static func octetString(_ bytes: [UInt8]) -> [UInt8] {
        let tag: UInt8 = 0x04
        guard bytes.count >= 128 else { return [tag, UInt8(bytes.count)] + bytes }
        guard bytes.count >= 256 else { return [tag, 0x81, UInt8(bytes.count)] + bytes }
        return [tag, 0x82] + sized(bytes)
    }
}
