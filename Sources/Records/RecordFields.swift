package import ATSPolicy
import Text

/// The record, field by field, in the order of its JSON: the keys of docs/record.md.
///
/// All keys are always present in the JSON, except those that are `omittable()`. A value that does not exist is
/// `null`, an empty list is `[]`, times are ISO 8601 in UTC.
///
/// A new field is one line here, plus the member that holds its value (`LoadRecord`, or one of `RecordedParts`) and
/// the code that sets it. The line declares its key, the piece of a stored record that has it, and the kind of names
/// that it can contain, by which they are masked. CONTRIBUTING.md lists what some pieces need in addition.
package enum RecordFields: FieldList {
    package static let fields: [RecordField<LoadRecord.Members>] = [
        RecordField(derived: "schema") { _ in LoadRecord.schema },
        RecordField("id", \.id, .columns),
        // Start of the load.
        RecordField("time", \.isoTime, .columns),
        RecordField("recording", \.recording, .columns, holding: .recording),
        // The tool that saw the load.
        RecordField("source", \.source, .shared),
        RecordField("client", \.client, ClientFields.self),
        RecordField("load", \.load, LoadFields.self),
        RecordField("policy", \.policy, PolicyFields.self).listed(as: "policy.entry"),
        RecordField("verdict", \.verdict, .shared),
        // How the refusal was shown to the client.
        RecordField("refusal", \.refusal, .shared),
        // Every complaint, the deciding one first.
        RecordField("findings", \.findings, each: FindingFields.self, blank: .blank, .diagnosis),
        RecordField("origin", \.origin, OriginFields.self, blank: .blank, .shared),
        // The error that a device would report.
        RecordField("apple", \.apple, AppleFields.self, blank: .blank, .diagnosis),
        // The error that the app saw, if a device alone would have reported another.
        RecordField("shown", \.shown, ShownFields.self, blank: ShownError(style: .page), .shared),
        // The outcome on the device itself; left out if only this program saw the load.
        RecordField("device", \.device, DeviceFields.self, blank: .blank, .more).omittable(),
        // The smallest fix.
        RecordField("remedy", \.remedy, RemedyFields.self, blank: Remedy([]), .diagnosis),
        // HTTP status that the client received.
        RecordField("status", \.status, .columns),
        RecordField("bytes", ByteFields.self),
        RecordField("timing", TimingFields.self),
        // The parent proxy that carried the load, as `HOST:PORT`.
        RecordField("via", \.via, .shared, holding: .authority),
        // Parts of the response that were not passed on.
        RecordField("removed", \.removed, .shared, holding: .sentence),
        // Fields that were masked; always the last.
        RecordField("masked", \.masked, .shared),
    ]

    /// Masks the names in `holder`, and lists each field that was masked: what loads share first, then the diagnosis.
    static func maskNames(of holder: inout LoadRecord.Members, by run: inout MaskRun) {
        for field in maskOrder {
            field.mask?(&holder, &run)
            let place = field.maskedPlace ?? MaskedField(name: field.key.description)
            run.list(place)
        }
    }

    private static let maskOrder: [RecordField<LoadRecord.Members>] = (0...2).flatMap { place in
        fields.filter { field in
            let isShared = field.pieces.contains(.shared) || field.key.description == "recording"
            return place == (isShared ? 0 : field.pieces.contains(.diagnosis) ? 1 : 2)
        }
    }
}

/// The client of a load.
package enum ClientFields: FieldList {
    package static let fields: [RecordField<RecordedClient.Members>] = [
        // Differs with each load: every connection has another port.
        RecordField("address", \.address, .columns, holding: .peer),
        RecordField("label", \.label, .shared, holding: .label),
        RecordField("userAgent", \.userAgent, .shared, holding: .agent),
        RecordField("loader", \.loader, .shared),
        // The program that was recognized as that loader.
        RecordField("assumed", \.assumed, .shared),
        RecordField("os", \.os, .shared),
        // The evidence for a guessed release; null if it was configured.
        RecordField("osEvidence", \.osEvidence, .shared, holding: .sentence),
        // Doubts about that guess, as sentences.
        RecordField("osNotes", \.osNotes, .shared, holding: .sentence),
        // How the load reached the gate; null for a client of the HTTP proxy.
        RecordField("entrance", \.entrance, .shared),
        // The ClientHello and its meaning; left out without TLS.
        RecordField("hello", \.hello, HelloFields.self, blank: .blank, .shared).omittable(),
    ]
}

/// The requested target, already masked.
package enum LoadFields: FieldList {
    package static let fields: [RecordField<RecordedRequest>] = [
        RecordField("method", \.method, .columns),
        RecordField("url", \.fullURL, .columns).masking { $0.path = $1.text(.url, $0.path) },
        RecordField("scheme", \.scheme, .shared),
        RecordField("host", \.host, .shared).masking { $0.host = $1.text(.host, $0.host) }.listed(as: "url", .host),
        RecordField("port", \.port, .shared),
        RecordField("protocol", \.wireProtocol, .shared),
        // URL of the load whose response redirected the client here.
        RecordField("redirectedFrom", \.redirectedFrom, .more, holding: .url),
    ]
}

/// The dictionary, release and entry that applied.
package enum PolicyFields: FieldList {
    package static let fields: [RecordField<RecordedPolicy.Members>] = [
        // File of the dictionary; null for the secure defaults.
        RecordField("source", \.source, .shared, holding: .file),
        RecordField("bundleID", \.bundleID, .shared, holding: .bundle),
        RecordField("os", \.os, .shared),
        RecordField("entry", \.entry, .shared, holding: .host),
        RecordField("key", \.keyPath, .shared, holding: .sentence),
        // Line of that key in the file.
        RecordField("line", \.line, .shared),
        RecordField("builtIn", \.isBuiltIn, .shared),
        // How loads that break the ATS rules are treated.
        RecordField("mode", \.mode, .shared),
    ]
}

/// Payload in bytes.
package enum ByteFields: FieldList {
    package static let fields: [RecordField<LoadRecord.Members>] = [
        RecordField("sent", \.bytesSent, .columns), RecordField("received", \.bytesReceived, .columns),
    ]
}

/// Spans in milliseconds.
package enum TimingFields: FieldList {
    package static let fields: [RecordField<LoadRecord.Members>] = [
        // Looking the name up and connecting.
        RecordField(span: "connectMs", \.timing.connect),
        // The origin's TLS handshake.
        RecordField(span: "handshakeMs", \.timing.handshake),
        // From the request's head to the first byte of the response.
        RecordField(span: "firstByteMs", \.timing.firstByte),
        // From the first byte of the request to the end of the load.
        RecordField(span: "totalMs", \.timing.knownTotal),
    ]
}

/// The outcome of a load on the device itself, with its evidence.
package enum DeviceFields: FieldList {
    package static let fields: [RecordField<RecordedDevice.Members>] = [
        RecordField("outcome", \.outcome, .more),
        // The evidence for the outcome, as a sentence.
        RecordField("how", \.how, .more, holding: .sentence),
        RecordField("confidence", \.confidence, .more),
        RecordField("code", \.facts.code, .more),
        RecordField("streamCode", \.facts.streamCode, .more),
        RecordField("ruling", \.facts.ruling, DeviceRulingFields.self, blank: DeviceRuling(), .more),
        // Status of the system's own trust evaluation.
        RecordField("systemTrust", \.facts.systemTrust, .more),
        RecordField("tls", \.facts.tls, DeviceTLSFields.self, blank: DeviceTLS(), .more),
        RecordField("log", \.log, .more, holding: .file),
        RecordField("line", \.line, .more),
        RecordField("task", \.task, .more),
        RecordField("app", \.app, .more, holding: .label),
        RecordField("system", \.system, .more),
        RecordField("redacted", \.isRedacted, .more),
        // Issuer of the proxy's certificate that the device saw.
        RecordField("proxied", \.proxied, .more, holding: .issuer),
        // The device's log lines, in order.
        RecordField("lines", \.lines, .more, holding: .deviceLine),
    ]
}

/// The numbers of a device's ruling line.
package enum DeviceRulingFields: FieldList {
    package static let fields: [RecordField<DeviceRuling>] = [
        RecordField("strength", \.strength, .more), RecordField("tls", \.tls, .more), RecordField("ct", \.ct, .more),
        RecordField("sub", \.sub, .more), RecordField("sig", \.sig, .more), RecordField("ciphers", \.ciphers, .more),
        RecordField("bundle", \.bundle, .more), RecordField("builtin", \.builtin, .more),
    ]
}

/// The handshake facts in a device's log.
package enum DeviceTLSFields: FieldList {
    package static let fields: [RecordField<DeviceTLS>] = [
        RecordField("version", \.version, .more), RecordField("cipher", \.cipher, .more),
        RecordField("group", \.group, .more), RecordField("alpn", \.alpn, .more),
        RecordField("resumed", \.isResumed, .more),
    ]
}

/// One rule's complaint.
package enum FindingFields: FieldList {
    package static let fields: [RecordField<Finding>] = [
        RecordField("rule", \.rule, .diagnosis),
        RecordField("title", \.title, .diagnosis),
        // The plist key that decided, or that would change the verdict.
        RecordField("keyPath", \.keyPath, .diagnosis, holding: .sentence),
        RecordField("expected", \.expected, .diagnosis, holding: .sentence),
        RecordField("observed", \.observed, .diagnosis, holding: .sentence),
        RecordField("confidence", \.confidence, .diagnosis),
        // The documentation of the rule.
        RecordField("source", \.source, .diagnosis),
    ]
}

/// The error that Apple's systems report for the failure.
package enum AppleFields: FieldList {
    package static let fields: [RecordField<AppleError>] = [
        RecordField("domain", \.domain, .diagnosis),
        RecordField("code", \.code, .diagnosis),
        RecordField("constant", \.constant, .diagnosis),
        RecordField("message", \.message, .diagnosis, holding: .sentence),
        RecordField("streamErrorDomain", \.stream.domain, .diagnosis),
        RecordField("streamErrorCode", \.stream.code, .diagnosis),
        RecordField("streamErrorConstant", \.stream.constant, .diagnosis),
        // The private -988x code.
        RecordField("detailCode", \.stream.detail, .diagnosis),
        // Log lines of a device of that generation, in order.
        RecordField("log", \.log, .diagnosis, holding: .sentence),
        RecordField("confidence", \.confidence, .diagnosis),
    ]
}

/// The smallest changes that would allow the load.
package enum RemedyFields: FieldList {
    package static let fields: [RecordField<Remedy>] = [
        // The change on the server, and the reason why no key helps, one sentence each.
        RecordField("server", \.recorded, .diagnosis, holding: .sentence),
        // The entry to add under `NSExceptionDomains`.
        RecordField("exception", \.exception, .diagnosis).masking { remedy, run in
            guard let domain = remedy.exception?.domain else { return }
            remedy.exception?.domain = run.text(.host, domain)
        },
    ]
}

/// The error that the app saw.
package enum ShownFields: FieldList {
    package static let fields: [RecordField<ShownError>] = [
        RecordField("style", \.style, .shared), RecordField("code", \.code, .shared),
        RecordField("streamErrorCode", \.streamErrorCode, .shared),
    ]
}

/// The origin as it answered. All but its address follows from the handshake, which stores keep whole.
package enum OriginFields: FieldList {
    package static let fields: [RecordField<RecordedOrigin.Members>] = [
        // `ADDRESS:PORT` dialed.
        RecordField("address", \.address, .shared, holding: .authority),
        RecordField(derived: "tlsVersion") { $0.facts?.version.name },
        RecordField(derived: "cipherSuite") { $0.facts?.suite.name },
        RecordField(derived: "group") { $0.facts?.group },
        RecordField(derived: "alpn") { $0.facts?.alpn },
        // As served, leaf first.
        RecordField(derived: "chain", each: CertificateFields.self) { $0.facts?.served ?? [] }.masking {
            $1.handshake(&$0.handshake)
        },
        // The parts of the certificates that are not kept; left out if all are.
        RecordField(derived: "cut") { $0.facts?.cut ?? [] }.omittable(),
        RecordField(derived: "scts", TimestampFields.self) { $0.facts },
        // The status of the leaf in a stapled OCSP response.
        RecordField(derived: "staple") { $0.facts?.staple?.status.word },
        // The end of the evaluated path.
        RecordField(derived: "trust") { $0.facts?.anchor.rawValue },
        // The request of the origin for a client certificate, and whether it got one.
        RecordField(derived: "clientCertificate") { $0.facts?.clientCertificate?.rawValue },
    ]
}

/// One certificate of the chain.
package enum CertificateFields: FieldList {
    package static let fields: [RecordField<CertificateFacts>] = [
        RecordField("subject", \.subject, .derived, holding: .distinguishedName),
        RecordField("issuer", \.issuer, .derived, holding: .distinguishedName),
        RecordField("serial", \.serial, .derived, holding: .hexadecimal),
        RecordField(derived: "keyType") { $0.keyType },
        RecordField(derived: "keyBits") { $0.keyBits },
        RecordField(derived: "signature") { $0.signature },
        RecordField(derivedTime: "notBefore") { $0.notBefore },
        RecordField(derivedTime: "notAfter") { $0.notAfter },
        RecordField("sha256", \.sha256, .derived, holding: .hexadecimal),
        RecordField("spkiSHA256", \.spkiSHA256, .derived, holding: .pin),
    ]
}

/// Signed certificate timestamps by where they were seen. Only those that the list of logs confirms count. Without a
/// list all of them count, and `given` is null.
package enum TimestampFields: FieldList {
    package static let fields: [RecordField<HandshakeFacts>] = [
        RecordField(derived: "embedded") { $0.scts.embedded },
        RecordField(derived: "handshake") { $0.scts.handshake },
        RecordField(derived: "stapled") { $0.scts.stapled },
        // The number that the origin sent.
        RecordField(derived: "given") { $0.sctReview?.given },
        // The reason why each of the others does not count.
        RecordField(derived: "refused") { ($0.sctReview?.refused ?? []).map(\.rawValue) },
    ]
}

// MARK: - Values under the keys of the JSON

extension LoadRecord.Members {
    /// The start of the load.
    fileprivate var isoTime: ISOTime {
        get { ISOTime(milliseconds: time) }
        set { time = newValue.milliseconds }
    }
}

extension Timing {
    fileprivate var knownTotal: Int64? {
        get { total }
        set { total = newValue ?? 0 }
    }
}

extension RecordedRequest {
    fileprivate var fullURL: String {
        get { url }
        set {
            // After the origin; a URL of a record always has a path.
            let authority = newValue.firstRange(of: "://")?.upperBound ?? newValue.startIndex
            path = String(newValue[authority...].drop { $0 != "/" })
        }
    }

    fileprivate var scheme: LoadTarget.Scheme {
        get { target.scheme }
        set { target = LoadTarget(scheme: newValue, host: target.host, port: target.port) }
    }

    fileprivate var host: String {
        get { target.host }
        set { target = LoadTarget(scheme: target.scheme, host: newValue, port: target.port) }
    }

    fileprivate var port: Int {
        get { target.port }
        set { target = LoadTarget(scheme: target.scheme, host: target.host, port: newValue) }
    }
}

extension RecordedPolicy.Members {
    fileprivate var entry: String? {
        get { basis?.entry }
        set { change(unless: newValue == nil) { $0.entry = newValue } }
    }

    fileprivate var keyPath: String? {
        get { basis?.keyPath }
        set { change(unless: newValue == nil) { $0.keyPath = newValue } }
    }

    fileprivate var isBuiltIn: Bool {
        get { basis?.isBuiltIn ?? false }
        set { change(unless: !newValue) { $0.isBuiltIn = newValue } }
    }

    /// A record keeps of the basis only what it shows.
    private mutating func change(unless isNothing: Bool, _ body: (inout RulingBasis) -> Void) {
        if isNothing, basis == nil { return }
        var changed = basis ?? RulingBasis(step: .secureDefault)
        body(&changed)
        basis = changed
    }
}

extension RecordedOrigin.Members {
    fileprivate var facts: HandshakeFacts? { handshake.facts }
}

extension Remedy {
    /// The advice as records store it.
    fileprivate var recorded: [String] {
        get { sentences }
        set { advice = newValue.map { Advice(recorded: $0) } }
    }
}

extension RecordedDevice.Members {
    fileprivate var log: String? {
        get { place?.log }
        set { change(unless: newValue == nil) { $0.log = newValue ?? "" } }
    }

    fileprivate var line: Int? {
        get { place?.line }
        set { change(unless: newValue == nil) { $0.line = newValue ?? 0 } }
    }

    fileprivate var task: String? {
        get { place?.task }
        set { change(unless: newValue == nil) { $0.task = newValue } }
    }

    fileprivate var app: String? {
        get { place?.app }
        set { change(unless: newValue == nil) { $0.app = newValue } }
    }

    fileprivate var system: String? {
        get { place?.system }
        set { change(unless: newValue == nil) { $0.system = newValue } }
    }

    /// A device without a place has no parts of it.
    private mutating func change(unless isNothing: Bool, _ body: (inout LogPosition) -> Void) {
        if isNothing, place == nil { return }
        var changed = place ?? LogPosition(log: "", line: 0)
        body(&changed)
        place = changed
    }
}

// MARK: - Values before anything is read

extension Finding {
    fileprivate static let blank = Finding(
        rule: .cleartextLoad, title: "", keyPath: nil, expected: "", observed: "", confidence: .inferred, source: "")
}

extension AppleError {
    fileprivate static let blank = AppleError(domain: "", code: 0, constant: "", message: "", confidence: .inferred)
}

extension RecordedOrigin.Members {
    fileprivate static let blank = RecordedOrigin.Members(address: nil, handshake: RecordedHandshake(facts: nil))
}

extension RecordedDevice.Members {
    fileprivate static let blank = RecordedDevice.Members(
        outcome: .unknown, how: nil, confidence: .inferred, facts: DeviceFacts(), place: nil, isRedacted: false,
        proxied: nil, lines: [])
}

/// A time as a record writes it: `2026-02-03T04:05:06.789Z`.
private struct ISOTime: FieldValue {
    let milliseconds: Int64

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    init(reading decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let milliseconds = RecordTime.milliseconds(text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not a time: \(text)"))
        }
        self.milliseconds = milliseconds
    }

    func write(to writer: inout JSONWriter) { writer.time(milliseconds: milliseconds) }
}
