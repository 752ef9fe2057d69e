public import ATSPolicy
import Text

/// One load as the console, the page and text search show it. Made from a record that is about to be filed, or from one
/// that was read back.
public struct LoadView: Sendable {
    /// The parts of a rule's complaint that lines and rows show.
    public struct Complaint: Sendable {
        public let rule: String
        public let title: String
        public let observed: String
        /// The deciding key in words; nil if a dictionary has no influence.
        public let deciding: String?
    }

    /// The outcome on a device, with its evidence.
    public struct Device: Sendable, Hashable {
        public let outcome: String
        public let how: String?

        public init(_ device: RecordedDevice) {
            outcome = device.outcome.rawValue
            how = device.how
        }

        /// For example `device refused (alert-48)`.
        public var words: String { "device \(outcome)" + (how.map { " (\($0))" } ?? "") }
    }

    public let id: String
    /// Milliseconds since 1970-01-01 UTC.
    public let time: Int64
    public let recording: String
    public let verdict: Verdict
    public let label: String?
    /// The client's address, without its port.
    public let address: String
    public let userAgent: String?
    /// The app's name in it.
    public let app: String?
    /// How the load reached the gate; nil if only a later version knows the value.
    public let entrance: LoadEntrance?
    /// The meaning of the client's hello; nil without TLS.
    public let hello: HelloReading.Kind?
    public let os: String
    public let target: LoadTarget
    public let method: String
    public let url: String
    /// nil if the load got no response.
    public let status: Int?
    /// For example `1.3`.
    public let tlsVersion: String?
    /// From the first byte of the request to the end of the load.
    public let milliseconds: Int64?
    /// Payload bytes.
    public let bytesSent: Int64
    public let bytesReceived: Int64
    /// The deciding complaint.
    public let complaint: Complaint?
    /// The other rules that complained.
    public let also: [(rule: String, title: String)]
    /// The code that a device alone would report; nil for none.
    public let code: Int?
    public let streamErrorCode: Int?
    /// Both codes, as in `-1200 [3:-9802]`.
    public let codes: String?
    /// The names of the codes.
    public let constant: String?
    public let streamErrorConstant: String?
    /// The private -988x code.
    public let detailCode: Int?
    /// The log lines of a device, in order.
    public let log: [String]
    public let shown: ShownError?
    /// The outcome on the device, if a gate in witness mode or the device's log shows it.
    public let deviceOutcome: Device?
    public let advice: [Advice]
    /// The exception that would allow the load.
    public let exceptionFix: ExceptionFix?
    /// The same as a sentence.
    public var exception: String? { exceptionFix?.sentence }
}

extension LoadView {
    /// The client's display name: its label, else its address.
    public var device: String { label ?? address }

    public var alsoRules: [String] { also.map(\.rule) }

    public init(_ record: LoadRecord) {
        let diagnosis = record.diagnosis
        id = record.id
        time = record.time
        recording = record.recording
        verdict = record.verdict
        label = record.client.label
        address = record.client.host
        userAgent = record.client.userAgent
        app = record.client.app
        entrance = record.client.wayIn
        hello = record.client.hello?.reads
        os = record.client.os
        target = record.load.target
        method = record.load.method
        url = record.load.url
        status = record.status
        tlsVersion = record.origin?.facts?.version.name
        milliseconds = record.timing.total / 1000
        bytesSent = record.bytesSent
        bytesReceived = record.bytesReceived
        complaint = diagnosis?.findings.first.map { finding in
            let deciding = DecidingKey(record.policy).words(for: finding.rule.rawValue, keyPath: finding.keyPath)
            return Complaint(
                rule: finding.rule.rawValue, title: finding.title, observed: finding.observed, deciding: deciding)
        }
        also = diagnosis?.findings.dropFirst().map { ($0.rule.rawValue, $0.title) } ?? []
        code = diagnosis?.apple?.code
        streamErrorCode = diagnosis?.apple?.streamErrorCode
        codes = diagnosis?.apple?.codes
        constant = diagnosis?.apple?.constant
        streamErrorConstant = diagnosis?.apple?.streamErrorConstant
        detailCode = diagnosis?.apple?.detailCode
        log = diagnosis?.apple?.log ?? []
        shown = record.shown
        deviceOutcome = record.device.map { Device($0) }
        advice = diagnosis?.remedy?.advice ?? []
        exceptionFix = diagnosis?.remedy?.exception
    }
}

/// The key or default that decided a load, in words. Never names a key that the file does not contain.
public struct DecidingKey: Sendable {
    /// File of the dictionary; nil for the secure defaults.
    public let source: String?
    /// Path of the key that decided the ruling, from `NSAppTransportSecurity`; nil if none did.
    public let key: String?
    /// The key's line in the file.
    public let line: Int?
    /// The entry that applies to the host.
    public let entry: String?
    public let isBuiltIn: Bool

    public init(_ policy: RecordedPolicy) {
        source = policy.source
        key = policy.basis?.keyPath
        line = policy.line
        entry = policy.basis?.entry
        isBuiltIn = policy.basis?.isBuiltIn ?? false
    }

    /// The decision as text, for example `Info.plist:14 NSExceptionDomains.example.com` or `no entry: secure default`.
    ///
    /// - Parameters:
    ///   - rule: the deciding rule.
    ///   - keyPath: the key path of its finding; the file contains it only if the rule means that a key decided.
    /// - Returns: nil if a dictionary has no influence, as with certificates.
    public func words(for rule: String, keyPath: String?) -> String? {
        guard let rule = RuleID(rawValue: rule), rule.category == .ats else { return nil }
        switch rule {
        case .cleartextLoad: return key.map(place) ?? Self.nothing
        case .osTLSFloor: return "fixed by the release; no dictionary changes it"
        case .pinnedIdentity: return keyPath.map(place)
        case .niap where entry == nil: return place("\(ATSKey.root).\(ATSKey.niapVersion)")
        default:
            guard let entry else { return Self.nothing }
            if isBuiltIn { return "the exception for \(entry), built into the system" }
            return place("\(ATSKey.root).\(ATSKey.exceptionDomains).\(entry)")
        }
    }

    private func place(_ path: String) -> String {
        let name = path.hasPrefix(ATSKey.root + ".") ? String(path.dropFirst(ATSKey.root.utf8.count + 1)) : path
        guard let source else { return name }
        let line = path == key ? line.map { ":\($0)" } ?? "" : ""
        return "\(source)\(line) \(name)"
    }

    private static let nothing = "no entry: secure default"
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
