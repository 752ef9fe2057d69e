public import ATSPolicy

/// The result that the gate should report for an origin on one release, under the secure defaults.
public struct LabExpectation: Sendable, Hashable {
    /// `allowed`, `blocked` or `failed`, as in a record's `verdict`.
    public let verdict: String
    /// The deciding rule.
    public let rule: RuleID?
    /// Code of NSURLErrorDomain. Source: public logs; docs/law/errors.md#by-failure, confidence as marked there.
    public let appleCode: Int?
    /// The stream error code that goes with it: of kCFStreamErrorDomainSSL, or -2102 for a timeout.
    public let streamErrorCode: Int?

    public init(verdict: String, rule: RuleID?, appleCode: Int?, streamErrorCode: Int?) {
        self.verdict = verdict
        self.rule = rule
        self.appleCode = appleCode
        self.streamErrorCode = streamErrorCode
    }
}

/// How the lab's root certificate is trusted: Apple's rules are less strict for roots that the user installed
/// (docs/law/trust.md).
public enum LabRoot: String, Sendable, Hashable, CaseIterable {
    /// By `--roots`, as one of the system's roots.
    case system = "roots"
    /// By `--extra-ca`, as a root that the user installed.
    case user = "extra-ca"
}

/// The expected outcome of an origin, independent of a release's error codes.
enum ExpectedOutcome: Sendable, Hashable {
    case allowed
    case cleartext
    /// The chain has a flaw.
    case chain(RuleID)
    /// The origin's versions are all too old.
    case version
    /// No suite is shared, for the reason named by the rule.
    case suite(RuleID)
    /// The origin lacks something that a NIAP package requires; the device detects it.
    case package
    case alert(UInt8)
    case closed
    case notTLS
    case timeout
    /// The origin requires a client certificate.
    case clientCertificate

    /// Returns the verdict and error codes on a system of that iOS release. Source: coreTLS, sslAlertMessage.c; public
    /// logs; docs/law/errors.md#alerts, docs/law/errors.md#by-failure.
    func expectation(_ generation: OSVersion) -> LabExpectation {
        switch self {
        case .allowed: LabExpectation(verdict: "allowed", rule: nil, appleCode: nil, streamErrorCode: nil)
        // No stream error, because there was no connection (observed; docs/law/errors.md#userinfo).
        case .cleartext: .blocked(.cleartextLoad, -1_022, nil)
        // The same for every flaw: docs/law/errors.md#by-failure, observed for roots and dates, inferred for the rest.
        case .chain(let rule): .blocked(rule, -1_200, -9_802)
        // Alert 70 (observed), or an answer below the offer, which 9 and 10 report as a failed negotiation: Stack
        // Overflow 30720813.
        case .version: .blocked(.tlsVersion, -1_200, generation < OSVersion(11) ? -9_801 : -9_836)
        // The origin sends alert 40: observed, on iOS 26 inferred (docs/law/errors.md#by-failure).
        case .suite(let rule): .blocked(rule, -1_200, Self.number(ofAlert: 40, generation))
        // Apple publishes no code; -9800 is the nearest of docs/law/errors.md#stream-codes (inferred).
        case .package: .blocked(.niap, -1_200, -9_800)
        case .alert(let alert): .failed(.tlsAlert, Self.number(ofAlert: alert, generation))
        // Observed (docs/law/errors.md#broken-handshakes); -9806 is the code of early releases.
        case .closed: .failed(.tlsClosed, generation < OSVersion(10) ? -9_806 : -9_816)
        // Observed for CFStream, inferred for URLSession (docs/law/errors.md#broken-handshakes).
        case .notTLS: .failed(.tlsNotTLS, -9_847)
        // Observed (docs/law/errors.md#proxies).
        case .timeout: .failed(.tlsTimeout, -2_102, code: -1_001)
        // No stream error (observed; docs/law/errors.md#after-the-handshake).
        case .clientCertificate: .failed(.tlsAlert, nil, code: -1_206)
        }
    }

    /// coreTLS up to iOS 11, libboringssl from iOS 12 on. Source: coreTLS, sslAlertMessage.c;
    /// docs/law/errors.md#alerts, C14.
    private static func number(ofAlert alert: UInt8, _ generation: OSVersion) -> Int {
        let isCoreTLS = generation < OSVersion(12)
        return switch alert {
        case 40: isCoreTLS ? -9_824 : -9_858
        case 70: -9_836
        case 71: -9_837
        case 80: -9_838
        case 86: isCoreTLS ? -9_802 : -9_860
        case 112: isCoreTLS ? -9_802 : -9_865
        case 116: isCoreTLS ? -9_802 : -9_863
        default: -9_802
        }
    }
}

extension LabExpectation {
    fileprivate static func blocked(_ rule: RuleID, _ code: Int, _ stream: Int?) -> LabExpectation {
        LabExpectation(verdict: "blocked", rule: rule, appleCode: code, streamErrorCode: stream)
    }

    fileprivate static func failed(_ rule: RuleID, _ stream: Int?, code: Int = -1_200) -> LabExpectation {
        LabExpectation(verdict: "failed", rule: rule, appleCode: code, streamErrorCode: stream)
    }
}
