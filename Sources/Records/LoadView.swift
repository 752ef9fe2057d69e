public import ATSPolicy
import Text

/// One load as it is shown: on the console, on the page, and to searches for words. Made of a record that is about to be
/// filed, or of one that was read back.
public struct LoadView: Sendable {
    /// A rule's complaint, as far as lines and rows show it.
    public struct Complaint: Sendable {
        public let rule: String
        public let title: String
        public let observed: String
        /// What decided, in words; nil where a dictionary has no say.
        public let deciding: String?
    }

    /// What a device did, and how it was seen.
    public struct Device: Sendable, Hashable {
        public let outcome: String
        public let how: String?

        public init(_ device: RecordedDevice) {
            outcome = device.outcome.rawValue
            how = device.how
        }

        init(_ device: DecodedObject<DeviceFields>) {
            outcome = device.outcome
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
    /// The client's, without its port.
    public let address: String
    public let userAgent: String?
    /// How it came in; nil where only a later version knows.
    public let entrance: LoadEntrance?
    public let os: String
    public let target: LoadTarget
    public let method: String
    public let url: String
    /// nil where the load had no answer.
    public let status: Int?
    /// For example `1.3`.
    public let tlsVersion: String?
    /// From the first byte of the request to the end of the load; nil where an older version did not tell.
    public let milliseconds: Int64?
    /// Payload.
    public let bytesSent: Int64
    public let bytesReceived: Int64
    /// The deciding one.
    public let complaint: Complaint?
    /// Rules that complained as well.
    public let also: [(rule: String, title: String)]
    /// What a device alone would report; nil for nothing.
    public let code: Int?
    public let streamErrorCode: Int?
    /// Both, as in `-1200 [3:-9802]`.
    public let codes: String?
    /// Their names.
    public let constant: String?
    public let streamErrorConstant: String?
    /// The private -988x number.
    public let detailCode: Int?
    /// What a device prints, in order.
    public let log: [String]
    public let shown: ShownError?
    /// What the device did, where a gate watched or its log tells.
    public let deviceDid: Device?
    public let advice: [Advice]
    /// The exception that would help, as a sentence.
    public let exception: String?
}

extension LoadView {
    /// What the client is called: by its label, else by its address.
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
        entrance = record.client.wayIn
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
        deviceDid = record.device.map { Device($0) }
        advice = diagnosis?.remedy?.advice ?? []
        exception = diagnosis?.remedy?.exception?.sentence
    }

    /// - Parameters:
    ///   - time: in milliseconds since 1970-01-01 UTC.
    ///   - verdict: of this version's verdicts.
    public init(_ load: DecodedObject<RecordFields>, time: Int64, verdict: Verdict) {
        id = load.id
        self.time = time
        recording = load.recording
        self.verdict = verdict
        label = load.client.label
        address = (try? Authority(load.client.address[...]))?.host ?? load.client.address
        userAgent = load.client.userAgent
        entrance = load.client.wayIn
        os = load.client.os
        // No version has written another scheme.
        target = LoadTarget(
            scheme: LoadTarget.Scheme(rawValue: load.load.scheme) ?? .https, host: load.load.host, port: load.load.port)
        method = load.load.method
        url = load.load.url
        status = load.status
        tlsVersion = load.origin?.tlsVersion
        milliseconds = load.timing.totalMs.flatMap { Int64(exactly: $0.rounded(.down)) }
        bytesSent = load.bytes.sent
        bytesReceived = load.bytes.received
        complaint = load.findings.first.map { finding in
            let deciding = DecidingKey(load.policy).words(for: finding.rule, keyPath: finding.keyPath)
            return Complaint(rule: finding.rule, title: finding.title, observed: finding.observed, deciding: deciding)
        }
        also = load.findings.dropFirst().map { ($0.rule, $0.title) }
        code = load.apple?.code
        streamErrorCode = load.apple?.streamErrorCode
        codes = load.apple?.codes
        constant = load.apple?.constant
        streamErrorConstant = load.apple?.streamErrorConstant
        detailCode = load.apple?.detailCode
        log = load.apple?.log ?? []
        shown = load.shown.flatMap { ShownError($0) }
        deviceDid = load.device.map { Device($0) }
        advice = load.remedy?.advice ?? []
        exception = load.remedy?.exception?.sentence
    }
}
