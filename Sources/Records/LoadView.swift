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
    /// The client's address, without its port.
    public let address: String
    public let userAgent: String?
    /// How the load reached the gate; nil if only a later version knows the value.
    public let entrance: LoadEntrance?
    public let os: String
    public let target: LoadTarget
    public let method: String
    public let url: String
    /// nil if the load got no response.
    public let status: Int?
    /// For example `1.3`.
    public let tlsVersion: String?
    /// From the first byte of the request to the end of the load; nil if an older version did not record it.
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
    /// The exception that would allow the load, as a sentence.
    public let exception: String?
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
        deviceOutcome = record.device.map { Device($0) }
        advice = diagnosis?.remedy?.advice ?? []
        exception = diagnosis?.remedy?.exception?.sentence
    }

    /// - Parameters:
    ///   - time: in milliseconds since 1970-01-01 UTC.
    ///   - verdict: the load's verdict, as this version knows it.
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
        // No version has written any other scheme.
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
        deviceOutcome = load.device.map { Device($0) }
        advice = load.remedy?.advice ?? []
        exception = load.remedy?.exception?.sentence
    }
}
