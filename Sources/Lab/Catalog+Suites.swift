import ATSPolicy
import TLSEngine
import Text

extension OriginSpecification {
    /// One origin for each suite in Security, SecProtocolInternal.h; docs/law/tls.md#suites,
    /// docs/law/tls.md#suites-without-forward-secrecy.
    static let suites = SuiteRow.all.map(\.specification)

    /// A suite of these tables, and the releases that offer it.
    private struct SuiteRow {
        enum Kind {
            /// A TLS 1.3 suite.
            case modern
            /// ECDHE, in the ATS group.
            case ephemeral
            /// Static RSA: offered only if an entry waives forward secrecy.
            case staticRSA
        }

        let code: UInt16
        /// OpenSSL's name.
        let name: String
        let kind: Kind
        /// The first iOS release that offers it; nil if all did.
        let since: OSVersion?
        /// The first release that no longer offers it.
        let until: OSVersion?

        init(_ code: UInt16, _ name: String, _ kind: Kind, since: OSVersion? = nil, until: OSVersion? = nil) {
            self.code = code
            self.name = name
            self.kind = kind
            self.since = since
            self.until = until
        }

        var specification: OriginSpecification {
            OriginSpecification(
                name: "suite-\(code.hexadecimal).lab.test", flaw: "Supports only the suite \(name)\(history).",
                behaviour: .tls(handshake), outcomes: outcomes,
                underNIAP: kind == .ephemeral && !name.contains("-GCM-") ? .suite(.cipherSuite) : nil,
                waiver: kind == .staticRSA ? .staticRSA(until: until) : nil)
        }

        private var handshake: Handshake {
            switch kind {
            case .modern: Handshake(minimum: .tls13, modernSuites: name)
            case .ephemeral, .staticRSA:
                Handshake(
                    leaf: name.contains("ECDSA") ? LeafPlan() : rsaLeaf, maximum: .tls12, cipherList: name)
            }
        }

        private var outcomes: ExpectedOutcomes {
            switch kind {
            case .modern: return .tls13Only
            case .staticRSA: return .always(.suite(.forwardSecrecy))
            case .ephemeral:
                let missing = ExpectedOutcome.suite(.cipherSuite)
                if let since { return .before(since, missing, then: .allowed) }
                return until.map { .before($0, .allowed, then: missing) } ?? .always(.allowed)
            }
        }

        private var history: String {
            if let since { return ", offered since iOS \(since)\(since == Self.chaCha ? " (inferred)" : "")" }
            guard let until else { return kind == .staticRSA ? ", without forward secrecy" : "" }
            return kind == .staticRSA ? ", which no entry enables since iOS \(until)" : ", removed in iOS \(until)"
        }

        /// Source: Security, SecProtocolInternal.h; Apple, macOS 26 release notes; docs/law/tls.md#suites,
        /// docs/law/tls.md#suites-without-forward-secrecy, docs/law/tls.md#versions for TLS 1.3. The release of
        /// ChaCha20, iOS 12, is inferred.
        static let all = [
            SuiteRow(0x1301, "TLS_AES_128_GCM_SHA256", .modern, since: tls13),
            SuiteRow(0x1302, "TLS_AES_256_GCM_SHA384", .modern, since: tls13),
            SuiteRow(0x1303, "TLS_CHACHA20_POLY1305_SHA256", .modern, since: tls13),
            SuiteRow(0xC02C, "ECDHE-ECDSA-AES256-GCM-SHA384", .ephemeral),
            SuiteRow(0xC02B, "ECDHE-ECDSA-AES128-GCM-SHA256", .ephemeral),
            SuiteRow(0xCCA9, "ECDHE-ECDSA-CHACHA20-POLY1305", .ephemeral, since: chaCha),
            SuiteRow(0xC030, "ECDHE-RSA-AES256-GCM-SHA384", .ephemeral),
            SuiteRow(0xC02F, "ECDHE-RSA-AES128-GCM-SHA256", .ephemeral),
            SuiteRow(0xCCA8, "ECDHE-RSA-CHACHA20-POLY1305", .ephemeral, since: chaCha),
            SuiteRow(0xC024, "ECDHE-ECDSA-AES256-SHA384", .ephemeral, until: cbcSHA2),
            SuiteRow(0xC023, "ECDHE-ECDSA-AES128-SHA256", .ephemeral, until: cbcSHA2),
            SuiteRow(0xC028, "ECDHE-RSA-AES256-SHA384", .ephemeral, until: cbcSHA2),
            SuiteRow(0xC027, "ECDHE-RSA-AES128-SHA256", .ephemeral, until: cbcSHA2),
            SuiteRow(0xC00A, "ECDHE-ECDSA-AES256-SHA", .ephemeral),
            SuiteRow(0xC009, "ECDHE-ECDSA-AES128-SHA", .ephemeral),
            SuiteRow(0xC014, "ECDHE-RSA-AES256-SHA", .ephemeral),
            SuiteRow(0xC013, "ECDHE-RSA-AES128-SHA", .ephemeral),
            SuiteRow(0x009D, "AES256-GCM-SHA384", .staticRSA),
            SuiteRow(0x009C, "AES128-GCM-SHA256", .staticRSA),
            SuiteRow(0x003D, "AES256-SHA256", .staticRSA, until: cbcSHA2),
            SuiteRow(0x003C, "AES128-SHA256", .staticRSA, until: cbcSHA2),
            SuiteRow(0x0035, "AES256-SHA", .staticRSA),
            SuiteRow(0x002F, "AES128-SHA", .staticRSA),
        ]

        private static let tls13 = OSVersion(12, 2)
        private static let chaCha = OSVersion(12)
        private static let cbcSHA2 = OSVersion(15, 4)
    }
}
