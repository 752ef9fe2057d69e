public import ATSPolicy
import Text

/// The tool that saw a load. Raw values are stored and shown.
public enum RecordSource: String, Sendable, Hashable, CaseIterable {
    /// A load that this program carried or blocked.
    case gate
    /// A device's log, imported by `evidence import`.
    case device
    case har
    case nscurl
}

/// The outcome of a load on the device itself, from its log or from a gate that only watched.
///
/// One per load. Texts come from the device: they are cut, masked and escaped like any other.
@dynamicMemberLookup
public final class RecordedDevice: RecordPart, Hashable {
    /// Raw values are stored and shown.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        case accepted
        /// By ATS or the system's strict trust.
        case refused
        /// By anything else: a name, a network, or trust rules that apply to every app.
        case failed
        case unknown
    }

    public struct Members: Sendable, Hashable {
        public var outcome: Outcome
        /// The evidence for the outcome, as a sentence.
        public var how: String?
        public var confidence: Confidence
        public var facts: DeviceFacts
        /// Its place in the log.
        public var place: LogPosition?
        /// The device hid the host or the address of the load.
        public var isRedacted: Bool
        /// Issuer of the proxy's certificate that the device saw instead of the origin's.
        public var proxied: String?
        /// The device's lines about the load, in order.
        public var lines: [String]
    }

    public let members: Members

    public convenience init(
        _ outcome: Outcome, how: String? = nil, confidence: Confidence, facts: DeviceFacts = DeviceFacts(),
        place: LogPosition? = nil, isRedacted: Bool = false, proxied: String? = nil, lines: [String] = []
    ) {
        self.init(
            Members(
                outcome: outcome, how: how, confidence: confidence, facts: facts, place: place,
                isRedacted: isRedacted, proxied: proxied, lines: lines))
    }

    package init(_ members: Members) {
        var members = members
        members.how = members.how?.cut(toBytes: textBytes)
        members.proxied = members.proxied?.cut(toBytes: textBytes)
        members.lines = members.lines.prefix(lineCount).map { $0.cut(toBytes: RecordLimits.sentenceBytes) }
        self.members = members
    }

    @inlinable public subscript<Value>(dynamicMember member: KeyPath<Members, Value>) -> Value {
        members[keyPath: member]
    }

    package static var isShared: Bool { false }

    /// The outcome and its evidence, for example `device refused (alert-48)`.
    public var words: String { "device \(members.outcome.rawValue)" + (members.how.map { " (\($0))" } ?? "") }

    /// Returns a copy with other texts.
    func with(how: String?, lines: [String]) -> RecordedDevice {
        var members = members
        (members.how, members.lines) = (how, lines)
        return RecordedDevice(members)
    }

    /// Approximate size in memory.
    package var bytes: Int { members.lines.reduce(partBytes) { $0 + $1.utf8.count } }

    /// A copy with at most ``RecordLimits/diagnosisBytes`` of lines; each gets an equal share.
    var filed: RecordedDevice {
        guard bytes > RecordLimits.diagnosisBytes else { return self }
        let share = RecordLimits.diagnosisBytes / max(members.lines.count, 1)
        return with(how: members.how, lines: members.lines.map { $0.cut(toBytes: share) })
    }
}

/// The numbers and names that a device's log contains about a load; nil for those that are missing.
public struct DeviceFacts: Sendable, Hashable {
    /// The NSURLErrorDomain code, as the device printed it.
    public var code: Int?
    /// The stream error code, for example -9802.
    public var streamCode: Int?
    /// The device's rules for the load; missing values are normal since iOS 18.
    public var ruling: DeviceRuling?
    /// Status of the system's own trust evaluation, 0 for success. That this means strict trust is inferred.
    public var systemTrust: Int?
    public var tls: DeviceTLS?

    public init(
        code: Int? = nil, streamCode: Int? = nil, ruling: DeviceRuling? = nil, systemTrust: Int? = nil,
        tls: DeviceTLS? = nil
    ) {
        self.code = code
        self.streamCode = streamCode
        self.ruling = ruling
        self.systemTrust = systemTrust
        self.tls = tls
    }
}

extension RecordedDevice {
    public var code: Int? { members.facts.code }
    public var streamCode: Int? { members.facts.streamCode }
    public var ruling: DeviceRuling? { members.facts.ruling }
    public var systemTrust: Int? { members.facts.systemTrust }
    public var tls: DeviceTLS? { members.facts.tls }
}

extension RecordedDevice {
    public static func == (one: RecordedDevice, other: RecordedDevice) -> Bool {
        one === other || one.members == other.members
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(members.outcome)
        hasher.combine(members.facts.code)
        hasher.combine(members.place)
        hasher.combine(members.lines)
    }
}

/// The numbers of a device's ruling line, as printed; nil for those that are missing. Only the meaning of `tls` was
/// observed: the lowest version in SecureTransport's numbering. Source: flutter/flutter#48991 and #46185.
public struct DeviceRuling: Sendable, Hashable {
    public var strength, tls, ct, sub, sig, ciphers, bundle, builtin: Int?

    public init(
        strength: Int? = nil, tls: Int? = nil, ct: Int? = nil, sub: Int? = nil, sig: Int? = nil, ciphers: Int? = nil,
        bundle: Int? = nil, builtin: Int? = nil
    ) {
        self.strength = strength
        self.tls = tls
        self.ct = ct
        self.sub = sub
        self.sig = sig
        self.ciphers = ciphers
        self.bundle = bundle
        self.builtin = builtin
    }
}

/// The handshake facts in a device's log.
public struct DeviceTLS: Sendable, Hashable {
    /// `1.0` to `1.3`.
    public var version: String?
    /// IANA name of the suite.
    public var cipher: String?
    /// Name of the group, or its number as printed.
    public var group: String?
    public var alpn: String?
    public var isResumed: Bool?

    public init(
        version: String? = nil, cipher: String? = nil, group: String? = nil, alpn: String? = nil,
        isResumed: Bool? = nil
    ) {
        self.version = version
        self.cipher = cipher
        self.group = group
        self.alpn = alpn
        self.isResumed = isResumed
    }
}

/// The place of a device's load in a log.
public struct LogPosition: Sendable, Hashable {
    /// File, or `-`.
    public var log: String
    /// The load's first line, counted from 1.
    public var line: Int
    /// The task's name as the device prints it, or the name of a test of nscurl.
    public var task: String?
    /// The process.
    public var app: String?
    /// The release, if the log or its reader knows it.
    public var system: String?

    public init(log: String, line: Int, task: String? = nil, app: String? = nil, system: String? = nil) {
        self.log = log
        self.line = line
        self.task = task
        self.app = app
        self.system = system
    }
}

/// More lines than a load prints at a device's default level.
private let lineCount = 48
private let textBytes = 1024
/// A part without its lines.
private let partBytes = 512
