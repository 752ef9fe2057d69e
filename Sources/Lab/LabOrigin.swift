public import ATSPolicy
import TLSEngine

/// One server of the lab: its address, its flaw, and the expected result.
///
/// Expectations are those of the secure defaults, and of the newest release unless a profile is given.
public struct LabOrigin: Sendable {
    /// Host of its URL, for example `rsa-kx.lab.test`.
    public let name: String
    public let scheme: LoadTarget.Scheme
    /// Port in its URL: the default of its scheme.
    public let port: Int
    /// The port of 127.0.0.1 where it listens.
    public let realPort: Int
    /// One sentence.
    public let flaw: String
    /// The deciding rule if the exception has no effect: on a release that does not support the origin's old version.
    public let ruleDespiteException: RuleID?
    /// The target of redirects from its `/`; nil for most origins, which answer with a text.
    public let redirect: String?
    /// Its leaf's public key in the form of `SPKI-SHA256-BASE64`, for testing pins; nil without TLS. Origins with RSA
    /// keys of the same size share one.
    public let leafKey: String?
    /// The public keys of its issuers, in the same form, the root's last.
    public let authorityKeys: [String]

    let waiver: Waiver?
    private let outcomes: ExpectedOutcomes
    private let underNIAP: ExpectedOutcome?

    /// - Parameter chain: nil without TLS.
    init(_ specification: OriginSpecification, _ chain: LabChain?, realPort: Int) {
        name = specification.name
        scheme = specification.behaviour.scheme
        port = scheme.defaultPort
        self.realPort = realPort
        flaw = specification.flaw
        redirect = specification.redirect
        leafKey = chain?.leaf.certificate.facts.spkiSHA256
        authorityKeys = chain?.authorities.map(\.facts.spkiSHA256) ?? []
        outcomes = specification.outcomes
        underNIAP = specification.underNIAP
        waiver = specification.waiver
        ruleDespiteException = waiver?.version == nil ? nil : .osTLSFloor
    }

    public var url: String { "\(scheme.rawValue)://\(name)/" }

    /// Returns the expected result on a release, for a way to trust the lab's root.
    ///
    /// - Parameter isListed: true if the gate has the list of ``Lab/writeLogs(to:)``.
    public func expectation(
        on profile: OSProfile, root: LabRoot = .system, isListed: Bool = false
    ) -> LabExpectation {
        outcomes.expectation(on: profile, root: root, isListed: isListed)
    }

    /// Returns the expected result for an app that requires NIAP's package, which exists from iOS 26.4 on. Source:
    /// Apple, NSRequiresNIAPTLSPackageVersion; docs/law/niap.md#package-21.
    public func expectationUnderNIAP(on profile: OSProfile, root: LabRoot = .system) -> LabExpectation {
        let usual = expectation(on: profile, root: root)
        let generation = profile.release.generation
        guard generation >= Self.firstWithNIAP, let underNIAP else { return usual }
        return underNIAP.expectation(generation)
    }

    private static let firstWithNIAP = OSVersion(26, 4)

    /// `allowed`, `blocked` or `failed`, as in a record's `verdict`.
    public var expectedVerdict: String { expectation(on: .newest).verdict }

    /// The deciding rule.
    public var rule: RuleID? { expectation(on: .newest).rule }

    /// Code of NSURLErrorDomain. Source: public logs; docs/law/errors.md#by-failure, confidence as marked there.
    public var appleCode: Int? { expectation(on: .newest).appleCode }

    /// The stream error code that goes with it.
    public var streamErrorCode: Int? { expectation(on: .newest).streamErrorCode }

    /// The value for `--connect-to`, and for curl's option of that name.
    public var connectTo: String { "\(name):\(port):127.0.0.1:\(realPort)" }

    /// The smallest exception that allows it on the newest release; nil if none can, or none is needed.
    public var minimalException: ExceptionFix? { minimalException(on: .newest) }

    /// Returns the smallest exception that allows it on a release. TLS 1.0 and 1.1 can be excepted up to iOS 18 only.
    /// Source: Security, SecProtocolConfiguration.m; Apple, macOS 26 release notes; docs/law/rulings.md#demands,
    /// docs/law/tls.md#system-floor.
    public func minimalException(on profile: OSProfile) -> ExceptionFix? {
        guard let waiver, waiver.applies(to: profile) else { return nil }
        return ExceptionFix(domain: name, settings: [waiver.setting])
    }

    /// True if an exception can allow it on a release.
    public func passesWithException(on profile: OSProfile) -> Bool { minimalException(on: profile) != nil }
}

/// The dictionary key that waives a flaw.
struct Waiver: Sendable {
    var setting: ExceptionFix.Setting
    /// The version that a release must support for the key to have an effect.
    var version: TLSVersion?
    /// The first iOS release where the key no longer helps.
    var until: OSVersion?

    func applies(to profile: OSProfile) -> Bool {
        if let version, version < profile.tlsFloor { return false }
        if let until { return profile.release.generation < until }
        return true
    }

    /// Source: Apple, NSExceptionDomains; docs/law/keys.md#entry-keys.
    static let cleartext = Waiver(setting: .init("NSExceptionAllowsInsecureHTTPLoads", .flag(true)))
    /// Source: Security, SecProtocolInternal.h; docs/law/tls.md#suites-without-forward-secrecy.
    static let staticRSA = staticRSA(until: nil)

    /// Static RSA for a suite that was removed later. Source: Security, SecProtocolInternal.h;
    /// docs/law/tls.md#suites-without-forward-secrecy.
    static func staticRSA(until: OSVersion?) -> Waiver {
        Waiver(setting: .init("NSExceptionRequiresForwardSecrecy", .flag(false)), until: until)
    }

    /// Source: Apple, NSExceptionDomains; Apple, macOS 26 release notes; docs/law/keys.md#entry-keys,
    /// docs/law/tls.md#system-floor.
    static func version(_ version: TLSVersion) -> Waiver {
        Waiver(setting: .init("NSExceptionMinimumTLSVersion", .text(version.declarationName)), version: version)
    }
}
