public import ATSPolicy

/// One server of the lab: where it is, what is wrong with it, and what the gate should make of that.
///
/// Expectations are those of the secure defaults on the newest profile.
public struct LabOrigin: Sendable {
    /// Host of its URL, for example `rsa-kx.lab.test`.
    public let name: String
    public let scheme: LoadTarget.Scheme
    /// Port in its URL: the default one of its scheme.
    public let port: Int
    /// Port of 127.0.0.1 that it listens on.
    public let realPort: Int
    /// One sentence.
    public let flaw: String
    /// `allowed`, `blocked` or `failed`, as in a record's `verdict`.
    public let expectedVerdict: String
    /// The deciding rule.
    public let rule: RuleID?
    /// Code of NSURLErrorDomain. Source: `ats-semantics.md` 6.7, confidence as marked there.
    public let appleCode: Int?
    /// Number of kCFStreamErrorDomainSSL that goes with it.
    public let streamErrorCode: Int?
    /// The deciding rule where the exception is void: on a system that speaks no version as old as the origin's.
    public let ruleDespiteException: RuleID?

    let waiver: Waiver?

    init(_ blueprint: Blueprint, realPort: Int) {
        name = blueprint.name
        scheme = blueprint.manner.scheme
        port = scheme.defaultPort
        self.realPort = realPort
        flaw = blueprint.flaw
        let expectation = blueprint.expectation
        expectedVerdict = expectation.verdict
        rule = expectation.rule
        appleCode = expectation.appleCode
        streamErrorCode = expectation.streamErrorCode
        waiver = blueprint.waiver
        ruleDespiteException = waiver?.version == nil ? nil : .osTLSFloor
    }

    public var url: String { "\(scheme.rawValue)://\(name)/" }

    /// Value for `--connect-to`, and for curl's option of that name.
    public var connectTo: String { "\(name):\(port):127.0.0.1:\(realPort)" }

    /// What makes it pass on the newest profile; nil when no exception can, or none is needed.
    public var minimalException: ExceptionFix? { minimalException(on: .newest) }

    /// What makes it pass on a system. TLS 1.0 and 1.1 can be excepted up to iOS 18 only. Source: `ats-semantics.md`
    /// 2.3 `[S]`, 4.6 `[O]`/`[D]`.
    public func minimalException(on profile: OSProfile) -> ExceptionFix? {
        guard let waiver, (waiver.version ?? profile.tlsFloor) >= profile.tlsFloor else { return nil }
        return ExceptionFix(domain: name, settings: [waiver.setting])
    }

    /// Whether an exception can make it pass on a system.
    public func passesWithException(on profile: OSProfile) -> Bool { minimalException(on: profile) != nil }
}

/// The key that waives a flaw.
struct Waiver: Sendable {
    var setting: ExceptionFix.Setting
    /// The version that a system must still speak for the key to have an effect.
    var version: TLSVersion?

    /// Source: `ats-semantics.md` 1.3 `[D]`.
    static let cleartext = Waiver(setting: .init("NSExceptionAllowsInsecureHTTPLoads", .flag(true)))
    /// Source: `ats-semantics.md` 4.3 `[D]`.
    static let staticRSA = Waiver(setting: .init("NSExceptionRequiresForwardSecrecy", .flag(false)))

    /// Source: `ats-semantics.md` 1.3 `[D]`, 4.6.
    static func version(_ version: TLSVersion) -> Waiver {
        Waiver(setting: .init("NSExceptionMinimumTLSVersion", .text(version.declarationName)), version: version)
    }
}
