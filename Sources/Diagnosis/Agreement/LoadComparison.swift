public import ATSPolicy
public import Records

/// The result of a load on a device compared with the gate's prediction, field by field.
public struct LoadComparison: Sendable {
    /// Raw values are shown.
    public enum Answer: String, Sendable, Hashable, CaseIterable {
        case agree
        case stricter = "gate stricter"
        case laxer = "gate laxer"
        case otherCode = "other code"
        case otherLines = "other lines"
        case otherEntry = "other entry"
        case unknown = "cannot tell"

        /// True if the gate allows what the device blocks, or the reverse.
        public var isBreach: Bool { self == .stricter || self == .laxer }
    }

    /// In order of precedence. Raw values are shown.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        case outcome
        /// The need for strict trust of the certificate.
        case strictness
        case minimumTLS
        case forwardSecrecy
        case transparency
        case code
        case lines
        /// The source of the deciding entry: the dictionary, or Apple's built-in entries.
        case entry
    }

    /// One field that both sides report, or that only one reports, with the reason.
    public struct Row: Sendable, Hashable {
        public let field: Field
        public let answer: Answer
        /// Values for scripts.
        public let device: String
        public let gate: String
        /// The same in text for people, who read "blocked" for `refused`.
        public let deviceWords: String
        public let gateWords: String
        /// The reason why the answer is unknown, or the part of the comparison that is inferred.
        public let why: String?

        init(
            field: Field, answer: Answer, device: String, gate: String, deviceWords: String? = nil,
            gateWords: String? = nil, why: String?
        ) {
            self.field = field
            self.answer = answer
            self.device = device
            self.gate = gate
            self.deviceWords = deviceWords ?? device
            self.gateWords = gateWords ?? gate
            self.why = why
        }
    }

    public let rows: [Row]
    /// The answer of the first field that differs, else that of the outcome.
    public let answer: Answer

    /// - Parameters:
    ///   - isReleaseKnown: true if the device's release is known; lines differ between releases.
    ///   - areLinesQuoted: true if a person chose the lines that the gate should print; all of them must match. A whole
    ///     log has many more lines: only those that begin like one of the gate's are compared.
    public init(
        _ device: RecordedDevice, _ gate: GatePrediction, scheme: LoadTarget.Scheme, isReleaseKnown: Bool = true,
        areLinesQuoted: Bool = false
    ) {
        let outcome = OutcomeComparison(device, gate, scheme).row
        var rows = [outcome] + RulingComparison(device, gate).rows
        if outcome.answer == .agree, let error = gate.error {
            rows += [
                Self.code(device, error),
                ConsoleComparison(
                    device.lines, error.log, areQuoted: areLinesQuoted, isReleaseKnown: isReleaseKnown
                ).row,
            ].compactMap(\.self)
        }
        rows.sort { $0.field.place < $1.field.place }
        self.rows = rows
        answer = rows.first { $0.answer != .agree && $0.answer != .unknown }?.answer ?? outcome.answer
    }

    private static func code(_ device: RecordedDevice, _ error: AppleError) -> Row? {
        guard let code = device.code else { return nil }
        let isSame = code == error.code && (device.streamCode ?? error.streamErrorCode) == error.streamErrorCode
        return Row(
            field: .code, answer: isSame ? .agree : .otherCode,
            device: device.codes ?? "\(code)",
            gate: error.codes, why: nil)
    }
}

extension LoadComparison.Field {
    fileprivate var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension RecordedDevice {
    /// The codes as people quote them: `-1200 [3:-9802]`; nil without one. Codes of streams other than TLS are left
    /// out.
    var codes: String? {
        guard let code else { return nil }
        let isTLS = streamCode.map { streamCodes.contains($0) } ?? false
        return isTLS ? AppleError.codes(code, streamDomainTLS, streamCode) : "\(code)"
    }
}

/// kCFStreamErrorDomainSSL and its codes. Source: Apple, SecureTransport.h.
private let streamDomainTLS = 3
private let streamCodes = -9_899 ... -9_800
