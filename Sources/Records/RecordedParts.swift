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

    /// Returns the same client with another entrance. Returns itself for nil and for the HTTP proxy.
    public func entering(by entrance: LoadEntrance?) -> RecordedClient {
        guard let entrance, entrance != .proxy else { return self }
        var members = members
        members.entrance = entrance
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

/// The part of a field that goes into the entry when a whole line is split.
indirect enum EntryPart: Sendable {
    case nothing
    case value
    /// The text between the quotes.
    case inside
    /// Parts of some fields of an object.
    case group([EntryCut])
}

/// The cut of the field with one name.
struct EntryCut: Sendable {
    let key: StaticString
    let cut: EntryPart
}

/// A record's line, split as stores keep it: the form that many loads share, and the entry.
public struct RecordParts {
    /// UTF-8 with blanks.
    public private(set) var form: [UInt8] = []
    public private(set) var entry: [UInt8] = []
    private var hasCut = false

    public init() {}

    /// Splits `line`, and replaces the previous result.
    ///
    /// - Returns: false if the line is not a record; both parts are then invalid.
    public mutating func take(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        form.removeAll(keepingCapacity: true)
        entry.removeAll(keepingCapacity: true)
        hasCut = false
        var scan = LineScan(line: line)
        guard scan.object(cuts: RecordFields.catalog.cuts, into: &self), scan.isAtEnd else { return false }
        form.append(contentsOf: scan.rest)
        return true
    }

    /// Appends `kept` to the form and `cut` to the entry.
    fileprivate mutating func add(kept: Slice<UnsafeBufferPointer<UInt8>>, cut: Slice<UnsafeBufferPointer<UInt8>>) {
        form.append(contentsOf: kept)
        if hasCut { entry.append(RecordForm.blank) }
        hasCut = true
        form.append(RecordForm.blank)
        entry.append(contentsOf: cut)
    }
}

/// Walks over a line that this program wrote: JSON without whitespace between its tokens.
private struct LineScan {
    let line: UnsafeBufferPointer<UInt8>
    private var index = 0
    /// The end of the part that was already returned.
    private var done = 0

    init(line: UnsafeBufferPointer<UInt8>) {
        self.line = line
    }

    var isAtEnd: Bool { index == line.count }
    var rest: Slice<UnsafeBufferPointer<UInt8>> { line[done...] }

    /// Walks over an object and moves the parts of the entry to `parts`.
    mutating func object(cuts: [EntryCut], into parts: inout RecordParts) -> Bool {
        guard take(UInt8(ascii: "{")) else { return false }
        while true {
            let start = index
            guard string() else { return false }
            let cut = cuts.first { $0.key.names(line[(start + 1)..<(index - 1)]) }?.cut ?? .nothing
            guard take(UInt8(ascii: ":")), value(cut, into: &parts) else { return false }
            if take(UInt8(ascii: "}")) { return true }
            guard take(UInt8(ascii: ",")) else { return false }
        }
    }

    private mutating func value(_ cut: EntryPart, into parts: inout RecordParts) -> Bool {
        if case .group(let cuts) = cut { return object(cuts: cuts, into: &parts) }
        let start = index
        guard skipValue() else { return false }
        switch cut {
        case .nothing, .group: return true
        case .value: hand(start..<index, to: &parts)
        case .inside:
            guard line[start] == quote else { return false }
            hand(start + 1..<index - 1, to: &parts)
        }
        return true
    }

    private mutating func hand(_ range: Range<Int>, to parts: inout RecordParts) {
        parts.add(kept: line[done..<range.lowerBound], cut: line[range])
        done = range.upperBound
    }

    private mutating func skipValue() -> Bool {
        var depth = 0
        while index < line.count {
            switch line[index] {
            case quote:
                guard string() else { return false }
                if depth == 0 { return true }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return true }
                depth -= 1
                if depth == 0 {
                    index += 1
                    return true
                }
            case UInt8(ascii: ","): if depth == 0 { return true }
            default: break
            }
            index += 1
        }
        return false
    }

    private mutating func string() -> Bool {
        guard take(quote) else { return false }
        while index < line.count {
            let byte = line[index]
            index += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == quote { return true }
        }
        return false
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < line.count, line[index] == byte else { return false }
        index += 1
        return true
    }
}

extension StaticString {
    fileprivate func names(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        bytes.count == utf8CodeUnitCount && withUTF8Buffer { $0.elementsEqual(bytes) }
    }
}

private let quote = UInt8(ascii: "\"")
