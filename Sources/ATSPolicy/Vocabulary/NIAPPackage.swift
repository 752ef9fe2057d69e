/// The value of a NIAP key. Source: Apple, NSRequiresNIAPTLSPackageVersion; docs/law/niap.md#package-21.
public enum NIAPPackage: String, Sendable, Hashable, CaseIterable {
    /// The default; in an exception entry it overrides the global key.
    case none
    /// US NIAP Functional Package for TLS, version 2.1.
    case fcp21 = "FCP_v2.1"
    /// The package that Apple currently recommends. Only one package exists, so it is assumed to be that one
    /// (inferred).
    case recommended

    /// True if the package removes suites from ATS's offer.
    public var narrowsSuites: Bool { self != .none }

    /// Returns the suites that the package allows: all of TLS 1.3, and ECDHE with AES-GCM of TLS 1.2; no CBC and no
    /// ChaCha20.
    func narrowed(_ suites: [CipherSuite]) -> [CipherSuite] {
        guard narrowsSuites else { return suites }
        return suites.filter { suite in
            switch suite.keyExchange {
            case .tls13: true
            case .ecdhe: suite.name.contains("_GCM_")
            case .dhe, .rsa, .other: false
            }
        }
    }
}
