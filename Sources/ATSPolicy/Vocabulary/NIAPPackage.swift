/// What a NIAP key asks for. Source: Apple, NSRequiresNIAPTLSPackageVersion; docs/law/niap.md#package-21.
public enum NIAPPackage: String, Sendable, Hashable, CaseIterable {
    /// The default; in an exception entry it undoes the global key.
    case none
    /// US NIAP Functional Package for TLS, version 2.1.
    case fcp21 = "FCP_v2.1"
    /// Apple's choice of the day. Only one package exists, so it is taken for that one (inferred).
    case recommended

    /// Whether it takes suites away from what ATS offers.
    public var narrowsSuites: Bool { self != .none }

    /// TLS 1.3 suites stay as they are; of TLS 1.2 only ECDHE with AES-GCM is left, so no CBC and no ChaCha20.
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
