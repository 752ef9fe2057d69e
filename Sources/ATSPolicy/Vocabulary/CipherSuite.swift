import Text

/// A cipher suite by its IANA number and name.
public struct CipherSuite: Sendable {
    /// Two bytes on the wire, for example 0xC02B.
    public let code: UInt16
    /// IANA name, for example `TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256`.
    public let name: String

    public init(code: UInt16, name: String) {
        self.code = code
        self.name = name
    }

    /// The key exchange, read from the IANA name.
    public enum KeyExchange: Sendable, Hashable {
        /// A TLS 1.3 suite: the key exchange is always ephemeral and named elsewhere.
        case tls13
        case ecdhe, dhe, rsa, other
    }

    public var keyExchange: KeyExchange {
        guard name.holds("_WITH_") else { return .tls13 }
        if name.hasPrefix("TLS_ECDHE_") { return .ecdhe }
        if name.hasPrefix("TLS_DHE_") { return .dhe }
        return name.hasPrefix("TLS_RSA_WITH_") ? .rsa : .other
    }
}

extension CipherSuite: Hashable {
    public static func == (left: CipherSuite, right: CipherSuite) -> Bool { left.code == right.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// The suites that Apple's systems offer, in the orders of their ClientHellos (docs/law/tls.md#order-of-suites).
extension CipherSuite {
    private static func suites(_ codes: [UInt16]) -> [CipherSuite] {
        codes.compactMap { code in names[code].map { CipherSuite(code: code, name: $0) } }
    }

    /// The suites of TLS 1.3. Source: testssl/testssl.sh for 12.2, 18.4 and 26.4; refraction-networking/utls for 13 and
    /// 14; roolinkio/tlsprofiles and Averyy/wafer for loads under ATS on 26.
    static func tls13(_ generation: OSVersion, isATS: Bool) -> [CipherSuite] {
        switch generation {
        case ..<OSVersion(13): suites([0x1303, 0x1301, 0x1302])
        case ..<OSVersion(26): suites([0x1301, 0x1302, 0x1303])
        case OSVersion(26, 2)... where isATS: suites([0x1302, 0x1301, 0x1303])
        default: suites([0x1302, 0x1303, 0x1301])
        }
    }

    /// All ECDHE suites in the order of a release since 11; not every release offers each. Source:
    /// refraction-networking/utls for 11, 12 and 14, testssl/testssl.sh for 12.2 and from 15.4 on.
    static func order(_ generation: OSVersion) -> [CipherSuite] {
        generation < OSVersion(14)
            ? suites([
                0xC02C, 0xC02B, 0xC024, 0xC023, 0xC00A, 0xC009, 0xCCA9,
                0xC030, 0xC02F, 0xC028, 0xC027, 0xC014, 0xC013, 0xCCA8,
            ])
            : suites([
                0xC02C, 0xC02B, 0xCCA9, 0xC030, 0xC02F, 0xCCA8,
                0xC024, 0xC023, 0xC00A, 0xC009, 0xC028, 0xC027, 0xC014, 0xC013,
            ])
    }

    /// ATS up to 11. Source: SSL Labs' client of iOS 10 in testssl/testssl.sh; that of ATS on 9 has another order of the
    /// CBC suites, and lacks C014.
    static let orderBefore12 = suites([
        0xC02C, 0xC02B, 0xC024, 0xC023, 0xC00A, 0xC009, 0xC030, 0xC02F, 0xC028, 0xC027, 0xC014, 0xC013,
    ])

    /// Without ATS on 9 and 10; 9 has RC4 after them. Source: SSL Labs' clients of iOS 9 and 10 in testssl/testssl.sh.
    static let systemBefore11 = suites([
        0xC02C, 0xC02B, 0xC024, 0xC023, 0xC00A, 0xC009, 0xC008, 0xC030, 0xC02F, 0xC028, 0xC027, 0xC014, 0xC013, 0xC012,
        0x009D, 0x009C, 0x003D, 0x003C, 0x0035, 0x002F, 0x000A,
    ])

    /// Sorts the suites of a load under ATS as 26.2 and later do. Source: Averyy/wafer, 45 ClientHellos of 26.5.2;
    /// roolinkio/tlsprofiles.
    static func orderSince26_2(_ left: CipherSuite, _ right: CipherSuite) -> Bool {
        place(left) < place(right)
    }

    private static func place(_ suite: CipherSuite) -> Int { since26_2.firstIndex(of: suite) ?? since26_2.endIndex }

    private static let since26_2 = suites([
        0xC02C, 0xC030, 0xC02B, 0xCCA9, 0xC02F, 0xCCA8, 0xC00A, 0xC009, 0xC014, 0xC013,
    ])

    static let ecdheCBCSHA2 = suites([0xC024, 0xC023, 0xC028, 0xC027])
    static let ecdheCBC = suites([0xC00A, 0xC009, 0xC014, 0xC013])
    static let staticRSA = suites([0x009D, 0x009C, 0x003D, 0x003C, 0x0035, 0x002F])
    static let rsaCBC = suites([0x0035, 0x002F])
    /// Offered after all others since 12.1. OpenSSL 3 lacks them in its usual build.
    static let tripleDES = suites([0xC008, 0xC012, 0x000A])
    /// Of iOS 9 only. OpenSSL 3 lacks them.
    static let rc4 = suites([0xC007, 0xC011, 0x0005, 0x0004])
    /// The list of the technical note of 2015.
    static let documented = suites([
        0xC02C, 0xC02B, 0xC030, 0xC02F, 0xC024, 0xC023, 0xC028, 0xC027, 0xC00A, 0xC009, 0xC013,
    ])

    /// CBC with a hash of the SHA-2 family.
    var isCBCSHA2: Bool {
        switch code {
        case 0xC024, 0xC023, 0xC028, 0xC027, 0x003D, 0x003C: true
        default: false
        }
    }
    /// True for 3DES and RC4, which OpenSSL 3 lacks in its usual build.
    var isBeyondOpenSSL: Bool { Self.tripleDES.contains(self) || Self.rc4.contains(self) }

    private static let names: [UInt16: String] = [
        0x1301: "TLS_AES_128_GCM_SHA256", 0x1302: "TLS_AES_256_GCM_SHA384", 0x1303: "TLS_CHACHA20_POLY1305_SHA256",
        0xC02C: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", 0xC02B: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        0xCCA9: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", 0xC030: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        0xC02F: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", 0xCCA8: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        0xC024: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384", 0xC023: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
        0xC028: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", 0xC027: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
        0xC00A: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", 0xC009: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
        0xC014: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", 0xC013: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
        0x009D: "TLS_RSA_WITH_AES_256_GCM_SHA384", 0x009C: "TLS_RSA_WITH_AES_128_GCM_SHA256",
        0x003D: "TLS_RSA_WITH_AES_256_CBC_SHA256", 0x003C: "TLS_RSA_WITH_AES_128_CBC_SHA256",
        0x0035: "TLS_RSA_WITH_AES_256_CBC_SHA", 0x002F: "TLS_RSA_WITH_AES_128_CBC_SHA",
        0xC008: "TLS_ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA", 0xC012: "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
        0x000A: "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
        0xC007: "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", 0xC011: "TLS_ECDHE_RSA_WITH_RC4_128_SHA",
        0x0005: "TLS_RSA_WITH_RC4_128_SHA", 0x0004: "TLS_RSA_WITH_RC4_128_MD5",
    ]
}
