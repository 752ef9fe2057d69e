public import ATSPolicy
public import Records

/// What a device did with a load, held against what the law says of it, field by field.
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

        /// The gate lets pass what the device refuses, or the other way round.
        public var isBreach: Bool { self == .stricter || self == .laxer }
    }

    /// In the order in which they decide. Raw values are shown.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        case outcome
        /// Whether the certificate was held to strict trust.
        case strictness
        case minimumTLS
        case forwardSecrecy
        case transparency
        case code
        case lines
        /// Whether an entry of the dictionary ruled, or one of Apple's own.
        case entry
    }

    /// One field that both tell of, or of which somebody has to say why not.
    public struct Row: Sendable, Hashable {
        public let field: Field
        public let answer: Answer
        public let device: String
        public let gate: String
        /// Why nobody can tell, or what of the reading is inferred.
        public let why: String?
    }

    public let rows: [Row]
    /// Of the first field that differs; else of the outcome.
    public let answer: Answer

    /// - Parameters:
    ///   - isSystemTold: the device's system is known; lines differ from release to release.
    ///   - areLinesQuoted: somebody chose the lines as those that the gate should print, each of them. A whole log has
    ///     many more, and only those are held against the gate's that begin with the same words.
    public init(
        _ device: RecordedDevice, _ gate: GatePrediction, scheme: LoadTarget.Scheme, isSystemTold: Bool = true,
        areLinesQuoted: Bool = false
    ) {
        let outcome = OutcomeComparison(device, gate, scheme).row
        var rows = [outcome] + RulingComparison(device, gate).rows
        if outcome.answer == .agree, let error = gate.error {
            rows += [
                Self.code(device, error),
                ConsoleComparison(
                    device.lines, error.log, areQuoted: areLinesQuoted, isSystemTold: isSystemTold
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
    /// As people quote them: `-1200 [3:-9802]`; nil without a number. Numbers of other streams than TLS are left out.
    var codes: String? {
        guard let code else { return nil }
        let isTLS = streamCode.map { streamCodes.contains($0) } ?? false
        return isTLS ? AppleError.codes(code, streamDomainTLS, streamCode) : "\(code)"
    }
}

/// kCFStreamErrorDomainSSL, and its numbers. Source: Apple, SecureTransport.h.
private let streamDomainTLS = 3
private let streamCodes = -9_899 ... -9_800
