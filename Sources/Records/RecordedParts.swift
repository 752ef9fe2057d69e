public import ATSPolicy
import Text

/// The client of a load. One per client connection.
@dynamicMemberLookup
public final class RecordedClient: RecordPart {
    public struct Members: Sendable {
        public var address: String
        public var label: String?
        public var userAgent: String?
        /// The loader as which its loads are judged.
        public var loader: Loader
        /// The program that was recognized as that loader; nil if the User-Agent is the loader's own, or if the user
        /// named the loader.
        public var assumed: ClientProgram?
        public var os: String
        /// The evidence for a guessed release; nil if it was configured.
        public var osEvidence: String?
        /// Doubts about that guess, as sentences.
        public var osNotes: [String]
        /// How the load reached the gate; nil for a client of the HTTP proxy.
        public var entrance: LoadEntrance?
        /// The client's ClientHello; nil without TLS.
        public var hello: RecordedHello?
    }

    public let members: Members
    /// The address without the port, which changes with each connection.
    public let host: String
    /// The app's name in the User-Agent, see ``ClientApp``; nil without one.
    public let app: String?

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
        app = ClientApp.name(ofAgent: members.userAgent, program: members.assumed)
    }

    @inlinable public subscript<Value>(dynamicMember member: KeyPath<Members, Value>) -> Value {
        members[keyPath: member]
    }

    /// Returns the same client with another entrance. Returns itself for nil and for the HTTP proxy.
    public func entering(by entrance: LoadEntrance?) -> RecordedClient {
        guard let entrance, entrance != .proxy else { return self }
        var members = members
        members.entrance = entrance
        return RecordedClient(members)
    }

    /// Returns the same client with its hello. Returns itself if it has that one.
    public func showing(_ hello: RecordedHello?) -> RecordedClient {
        guard hello != members.hello else { return self }
        var members = members
        members.hello = hello
        return RecordedClient(members)
    }

    /// Returns the same client with the address of another connection.
    package func connecting(from address: String) -> RecordedClient {
        guard address != members.address else { return self }
        var members = members
        members.address = address
        return RecordedClient(members)
    }

    /// How its loads reach the gate.
    public var wayIn: LoadEntrance { members.entrance ?? .proxy }

    /// Its display name: the label, else the address.
    public var device: String { members.label ?? host }

    /// True if a client of another connection is the same program on the same device.
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

/// The request or tunnel of a load.
public struct RecordedRequest: Sendable {
    public enum WireProtocol: String, Sendable, Hashable {
        case http1 = "http/1.1"
        case http2 = "h2"
        case websocket
        case tunnel
        /// From a device's log that does not show the protocol.
        case unknown
    }

    public var method: String
    /// Path and query as received, raw bytes decoded as UTF-8; redaction happens when the record is filed.
    public var path: String
    public var target: LoadTarget
    public var wireProtocol: WireProtocol
    /// URL of the load whose response redirected the client here, as received; nil if there was none.
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

/// The dictionary, entry and release that applied. One per loaded dictionary, host entry and release.
@dynamicMemberLookup
public final class RecordedPolicy: RecordPart {
    public struct Members: Sendable {
        /// File of the dictionary; nil for the secure defaults.
        public var source: String?
        public var bundleID: String?
        public var os: String
        public var basis: RulingBasis?
        /// Line of the deciding key in the file, counted from 1; nil if none decided, or if the format has no lines.
        public var line: Int?
        /// How loads that break the ATS rules are treated, as in `--mode`; nil if unknown.
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

/// The origin as it answered. One per origin connection.
@dynamicMemberLookup
public final class RecordedOrigin: RecordPart {
    public struct Members: Sendable {
        /// `ADDRESS:PORT` dialed.
        public var address: String?
        /// Everything that a store keeps of its handshake.
        public var handshake: RecordedHandshake
    }

    public let members: Members
    /// Approximate size in memory.
    public let bytes: Int

    /// nil for cleartext and for handshakes that never finished.
    public var facts: HandshakeFacts? { members.handshake.facts }

    /// - Parameters:
    ///   - failure: how the handshake with `offer` failed; `facts` then come from one that offered everything.
    ///   - offer: the first offer to the origin.
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

/// The findings, the error that Apple would report, and the fix.
public final class RecordedDiagnosis: Sendable {
    /// Every complaint, the deciding one first.
    public let findings: [Finding]
    /// The deciding rule.
    public let rule: RuleID?
    public let apple: AppleError?
    public let remedy: Remedy?
    /// Approximate size of all texts.
    public let bytes: Int

    public convenience init(findings: [Finding], apple: AppleError?, remedy: Remedy?) {
        self.init(findings: findings, apple: apple, remedy: remedy, limit: RecordLimits.sentenceBytes)
    }

    /// - Parameter limit: longest sentence, in bytes.
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
    /// The findings of its diagnosis; a change makes a new diagnosis.
    public var findings: [Finding] {
        get { diagnosis?.findings ?? [] }
        set { diagnose(unless: newValue.isEmpty, newValue, apple, remedy) }
    }

    /// The error that a device alone would report.
    public var apple: AppleError? {
        get { diagnosis?.apple }
        set { diagnose(unless: newValue == nil, findings, newValue, remedy) }
    }

    public var remedy: Remedy? {
        get { diagnosis?.remedy }
        set { diagnose(unless: newValue == nil, findings, apple, newValue) }
    }

    private mutating func diagnose(
        unless isNothing: Bool, _ findings: [Finding], _ apple: AppleError?, _ remedy: Remedy?
    ) {
        if isNothing, diagnosis == nil { return }
        diagnosis = RecordedDiagnosis(findings: findings, apple: apple, remedy: remedy)
    }
}

/// Spans of one load in microseconds; nil if a span did not happen.
public struct Timing: Sendable, Hashable {
    /// Looking the name up and connecting.
    public var connect: Int64?
    /// The origin's TLS handshake.
    public var handshake: Int64?
    /// From the request's head to the first byte of the response.
    public var firstByte: Int64?
    /// From the first byte of the request to the end of the load.
    public var total: Int64 = 0

    public init() {}
}

/// The error that the app saw through the gate, if a device alone would have reported another.
public struct ShownError: Sendable, Hashable {
    /// How it was shown. Raw values are stored and shown.
    public enum Style: String, Sendable, Hashable, CaseIterable {
        /// An HTTP response that explains.
        case page
        /// A certificate from an untrusted issuer.
        case untrustedLeaf = "untrusted-leaf"
        case alert
        case close
        /// An error as the response to a CONNECT or a SOCKS request.
        case noTunnel = "no-tunnel"
    }

    public var style: Style
    /// The NSURLErrorDomain code, or 310 of kCFErrorDomainCFNetwork for a CONNECT; nil if the app got a response, or if
    /// no code is known.
    public var code: Int?
    /// The kCFStreamErrorDomainSSL code; for 310 the code of domain 4.
    public var streamErrorCode: Int?

    public init(style: Style, code: Int? = nil, streamErrorCode: Int? = nil) {
        self.style = style
        self.code = code
        self.streamErrorCode = streamErrorCode
    }
}

extension ShownError {
    /// The codes as an app prints them: `-1200 [3:-9802]`; nil if the app got a response, or if no code is known.
    ///
    /// 310 is kCFErrorHTTPSProxyConnectionFailure, with a code of domain 4; all others have a code of SSL, domain 3.
    /// Source: docs/law/errors.md#stream-codes, docs/law/errors.md#proxies.
    public var codes: String? { code.map { AppleError.codes($0, $0 == 310 ? 4 : 3, streamErrorCode) } }
}
