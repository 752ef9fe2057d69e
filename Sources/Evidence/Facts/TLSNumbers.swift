import Text

/// Names for TLS numbers in logs, from IANA's registry of TLS parameters (read 2026-11); other numbers stay as printed.
enum TLSNumbers {
    /// A cipher suite's name; newer releases print the name itself.
    static func suite(_ printed: String) -> String { suites[printed.asciiLowered] ?? printed }

    static func group(_ printed: String) -> String { groups[printed.asciiLowered] ?? printed }

    private static let groups = [
        "0x0017": "secp256r1", "0x0018": "secp384r1", "0x0019": "secp521r1", "0x001d": "X25519",
        "0x11ec": "X25519MLKEM768",
    ]

    /// Suites that Apple's systems offer or offered.
    private static let suites = [
        "0x1301": "TLS_AES_128_GCM_SHA256", "0x1302": "TLS_AES_256_GCM_SHA384",
        "0x1303": "TLS_CHACHA20_POLY1305_SHA256",
        "0xc02b": "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "0xc02c": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        "0xc02f": "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "0xc030": "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        "0xcca8": "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        "0xcca9": "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
        "0xc009": "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "0xc00a": "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
        "0xc013": "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "0xc014": "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
        "0xc023": "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "0xc024": "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384",
        "0xc027": "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "0xc028": "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384",
        "0x009c": "TLS_RSA_WITH_AES_128_GCM_SHA256", "0x009d": "TLS_RSA_WITH_AES_256_GCM_SHA384",
        "0x003c": "TLS_RSA_WITH_AES_128_CBC_SHA256", "0x003d": "TLS_RSA_WITH_AES_256_CBC_SHA256",
        "0x002f": "TLS_RSA_WITH_AES_128_CBC_SHA", "0x0035": "TLS_RSA_WITH_AES_256_CBC_SHA",
        "0x000a": "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
    ]
}
