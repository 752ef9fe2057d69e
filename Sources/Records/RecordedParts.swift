public import ATSPolicy
import Text

/// Who asked. One per client connection.
@dynamicMemberLookup
public final class RecordedClient: RecordPart {
    public struct Members: Sendable {
        public var address: String
        public var label: String?
        public var userAgent: String?
        /// What its loads are judged as.
        public var loader: Loader
        /// The program that is taken for that loader; nil where its agent is the loader's own, or somebody says what it is.
        public var assumed: ClientProgram?
        public var os: String
        /// What the system was guessed by; nil where it was named.
        public var osEvidence: String?
        /// What makes that guess doubtful, as sentences.
        public var osNotes: [String]
        /// How it came in; nil for one that asked an HTTP proxy.
        public var entrance: LoadEntrance?
    }

    public let members: Members
    /// The address without the port, which changes with each connection.
    public let host: String

    public convenience init(
        address: String, label: String?, userAgent: String?, loader: Loader, assumed: ClientProgram? = nil,
        os: String, osEvidence: String? = nil, osNotes: [String] = []
    ) {
        self.init(
            Members(
                address: address, label: label, userAgent: userAgent?.cut(toBytes: RecordLimits.userAgentBytes),
                loader: loader, assumed: assumed, os: os, osEvidence: osEvidence, osNotes: osNotes))
    }

    package init(_ members: Members) {
        self.members = members
        host = Self.host(of: members.address)
    }

    @inlinable public subscript<Value>(dynamicMember member: KeyPath<Members, Value>) -> Value {
        members[keyPath: member]
    }

    /// The same client, who came in that way; itself for nil, and by an HTTP proxy.
    public func entering(by entrance: LoadEntrance?) -> RecordedClient {
        guard let entrance, entrance != .proxy else { return self }
        var members = members
        members.entrance = entrance
        return RecordedClient(members)
    }

    /// How it came in.
    public var wayIn: LoadEntrance { members.entrance ?? .proxy }

    /// How it is called: by its label, else its address.
    public var device: String { members.label ?? host }

    /// Whether a client of another connection is the same program of the same device.
    public func isSame(as other: RecordedClient) -> Bool {
        self === other
            || host == other.host && members.label == other.members.label && members.os == other.members.os
                && members.userAgent == other.members.userAgent && members.entrance == other.members.entrance
    }

    private static func host(of address: String) -> String {
        guard let colon = address.utf8.lastIndex(of: UInt8(ascii: ":")) else { return address }
        let host = address[..<colon]
        return String(host.utf8.first == UInt8(ascii: "[") ? host.dropFirst().dropLast() : host)
    }
}

/// What was asked for.
public struct RecordedRequest: Sendable {
    public enum WireProtocol: String, Sendable, Hashable {
        case http1 = "http/1.1"
        case http2 = "h2"
        case websocket
        case tunnel
        /// A device's log that does not tell.
        case unknown
    }

    public var method: String
    /// Path and query as asked, raw bytes decoded as UTF-8; redaction happens when the record is filed.
    public var path: String
    public var target: LoadTarget
    public var wireProtocol: WireProtocol
    /// URL of the load whose answer redirected the client here, as asked; nil when there was none.
    public var redirectedFrom: String?

    public init(
        method: String, path: String, target: LoadTarget, wireProtocol: WireProtocol, redirectedFrom: String? = nil
    ) {
        self.method = method.cut(toBytes: RecordLimits.methodBytes)
        self.path = path.cut(toBytes: RecordLimits.urlBytes)
        self.target = target
        self.wireProtocol = wireProtocol
        self.redirectedFrom = redirectedFrom?.cut(toBytes: RecordLimits.redirectBytes)
    }
}

/// Which law was applied. One per loaded declaration, host entry and profile.
@dynamicMemberLookup
public final class RecordedPolicy: RecordPart {
    public struct Members: Sendable {
        /// File that the declaration came from; nil for the secure defaults.
        public var source: String?
        public var bundleID: String?
        public var os: String
        public var basis: RulingBasis?
        /// Line of the deciding key in the file, counted from 1; nil where none decided, or the format has no lines.
        public var line: Int?
        /// How loads that break the law are treated, as `--mode` has it; nil where nobody tells.
        public var mode: String?
    }

    public let members: Members

    public convenience init(
        source: String?, bundleID: String?, os: String, basis: RulingBasis?, line: Int? = nil, mode: String? = nil
    ) {
        self.init(Members(source: source, bundleID: bundleID, os: os, basis: basis, line: line, mode: mode))
    }

    package init(_ members: Members) {
        self.members = members
    }

    @inlinable public subscript<Value>(dynamicMember member: KeyPath<Members, Value>) -> Value {
        members[keyPath: member]
    }

    package func known(of host: String, by names: NameMask) -> KnownNames {
        names.known(host: host, entry: members.basis?.entry)
    }
}

/// The origin as met. One per origin connection.
@dynamicMemberLookup
public final class RecordedOrigin: RecordPart {
    public struct Members: Sendable {
        /// `ADDRESS:PORT` dialed.
        public var address: String?
        /// All that a store keeps of its handshake.
        public var handshake: RecordedHandshake
    }

    public let members: Members
    /// What it takes in memory, about.
    public let bytes: Int

    /// nil for cleartext and for handshakes that never finished.
    public var facts: HandshakeFacts? { members.handshake.facts }

    /// - Parameters:
    ///   - failure: how the handshake with `offer` broke; `facts` are then those of one that offered everything.
    ///   - offer: what the origin was offered first.
    public convenience init(
        address: String?, facts: HandshakeFacts?, failure: HandshakeFailure? = nil, offer: TLSOffer? = nil
    ) {
        self.init(
            Members(address: address, handshake: RecordedHandshake(facts: facts, failure: failure, offer: offer)))
    }

    package init(_ members: Members) {
        var members = members
        members.handshake.facts = members.handshake.facts?.kept
        self.members = members
        bytes = 256 + (members.handshake.facts?.bytes ?? 0)
    }

    @inlinable public subscript<Value>(dynamicMember member: KeyPath<Members, Value>) -> Value {
        members[keyPath: member]
    }
}

extension RecordedOrigin: Equatable {
    public static func == (one: RecordedOrigin, other: RecordedOrigin) -> Bool {
        one === other || one.address == other.address && one.handshake == other.handshake
    }
}

/// What the law found wrong, how Apple would say it, and what would help.
public final class RecordedDiagnosis: Sendable {
    /// Every complaint, the deciding one first.
    public let findings: [Finding]
    /// The deciding one's.
    public let rule: RuleID?
    public let apple: AppleError?
    public let remedy: Remedy?
    /// Of all texts, about.
    public let bytes: Int

    public convenience init(findings: [Finding], apple: AppleError?, remedy: Remedy?) {
        self.init(findings: findings, apple: apple, remedy: remedy, limit: RecordLimits.sentenceBytes)
    }

    /// - Parameter limit: of each sentence, in bytes.
    init(findings: [Finding], apple: AppleError?, remedy: Remedy?, limit: Int) {
        let kept = ClippedDiagnosis(findings: findings, apple: apple, remedy: remedy, limit: limit)
        self.findings = kept.findings
        rule = kept.findings.first?.rule
        self.apple = kept.apple
        self.remedy = kept.remedy
        bytes = kept.bytes
    }
}

extension LoadRecord.Members {
    /// Of its diagnosis, which is made anew where one changes.
    package var findings: [Finding] {
        get { diagnosis?.findings ?? [] }
        set {
            diagnosis = diagnosis.map { RecordedDiagnosis(findings: newValue, apple: $0.apple, remedy: $0.remedy) }
        }
    }

    package var apple: AppleError? {
        get { diagnosis?.apple }
        set {
            diagnosis = diagnosis.map { RecordedDiagnosis(findings: $0.findings, apple: newValue, remedy: $0.remedy) }
        }
    }

    package var remedy: Remedy? {
        get { diagnosis?.remedy }
        set {
            diagnosis = diagnosis.map { RecordedDiagnosis(findings: $0.findings, apple: $0.apple, remedy: newValue) }
        }
    }
}

/// What another declaration would have said about the same load (`--candidate`).
public struct CandidateVerdict: Sendable, Hashable {
    public var source: String
    public var verdict: ReplayVerdict
    public var rule: RuleID?

    public init(source: String, verdict: ReplayVerdict, rule: RuleID?) {
        self.source = source
        self.verdict = verdict
        self.rule = rule
    }
}

/// Spans of one load in microseconds; nil where a span did not happen.
public struct Timing: Sendable, Hashable {
    /// Looking the name up and connecting.
    public var connect: Int64?
    /// The origin's TLS handshake.
    public var handshake: Int64?
    /// From the request's head to the first byte of the answer.
    public var firstByte: Int64?
    /// From the first byte of the request to the end of the load.
    public var total: Int64 = 0

    public init() {}
}
