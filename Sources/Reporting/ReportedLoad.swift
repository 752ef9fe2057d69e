import Foundation

/// A record read back from its JSON line, with the keys of the design's section 5, for reports and for replays.
public struct ReportedLoad: Decodable, Sendable, Hashable {
    public var schema: Int
    public var id: String
    /// ISO 8601 in UTC.
    public var time: String
    public var recording: String
    public var client: Client
    public var load: Load
    public var policy: Policy
    public var verdict: String
    public var refusal: String?
    public var findings: [ReportedFinding]
    public var origin: ReportedOrigin?
    public var apple: ReportedAppleError?
    public var remedy: ReportedRemedy?
    public var candidates: [Candidate]
    public var status: Int?
    public var bytes: Bytes
    public var timing: Spans
    public var masked: [String]

    /// Reads one JSON line.
    ///
    /// - Throws: ``StoreError/unreadableRecord(id:cause:)``.
    public init(_ stored: StoredRecord) throws(StoreError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Foundation.Data(stored.json.utf8))
        } catch {
            throw .unreadableRecord(id: stored.id, cause: "\(error)")
        }
    }

    /// Who asked.
    public struct Client: Decodable, Sendable, Hashable {
        public var address: String
        public var label: String?
        public var userAgent: String?
        public var loader: String
        public var os: String
    }

    /// What was asked for, already masked.
    public struct Load: Decodable, Sendable, Hashable {
        public var method: String
        public var url: String
        public var scheme: String
        public var host: String
        public var port: Int
        public var `protocol`: String
    }

    /// Which law was applied.
    public struct Policy: Decodable, Sendable, Hashable {
        public var source: String?
        public var bundleID: String?
        public var os: String
        public var entry: String?
        public var key: String?
        public var builtIn: Bool
    }

    /// What another declaration would have said.
    public struct Candidate: Decodable, Sendable, Hashable {
        public var source: String
        public var verdict: String
        public var rule: String?
    }

    /// Payload in bytes.
    public struct Bytes: Decodable, Sendable, Hashable {
        public var sent: Int64
        public var received: Int64
    }

    /// Spans in milliseconds.
    public struct Spans: Decodable, Sendable, Hashable {
        public var connectMs: Double?
        public var handshakeMs: Double?
        public var firstByteMs: Double?
        public var totalMs: Double
    }
}
