extension OSProfile {
    /// iOS 18.4 to 18.x: the first release whose parser is published. Source: `ats-semantics.md` 0.3, 4.6 `[S]`.
    public static let iOS18_4 = OSProfile(
        name: "ios18.4", title: "iOS 18.4", tlsFloor: .tls10, countsOddBooleansAsFalse: true, logGeneration: .ios16to18)

    /// iOS 26: TLS below 1.2 is gone even where a declaration allows it. Source: `ats-semantics.md` 4.6 `[O]`/`[D]`.
    public static let iOS26 = OSProfile(
        name: "ios26", title: "iOS 26", tlsFloor: .tls12, countsOddBooleansAsFalse: false, logGeneration: .ios26)

    /// The twin of ``iOS18_4``. Source: `ats-semantics.md` 0.3.
    public static let macOS15_4 = OSProfile(
        name: "macos15.4", title: "macOS 15.4", tlsFloor: .tls10, countsOddBooleansAsFalse: true,
        logGeneration: .ios16to18)

    /// The twin of ``iOS26``.
    public static let macOS26 = OSProfile(
        name: "macos26", title: "macOS 26", tlsFloor: .tls12, countsOddBooleansAsFalse: false, logGeneration: .ios26)

    /// Every profile that `--os` takes, oldest first.
    public static let all = [iOS18_4, macOS15_4, macOS26, iOS26]

    /// What `--os` stands for when it is not given.
    public static let newest = iOS26

    public static func named(_ name: String) -> OSProfile? {
        all.first { $0.name == name.lowercased() }
    }

    private init(
        name: String, title: String, tlsFloor: TLSVersion, countsOddBooleansAsFalse: Bool, logGeneration: LogGeneration
    ) {
        self.init(
            name: name, title: title, engine: .modern, tlsFloor: tlsFloor, newestTLS: .tls13,
            atsSuites: CipherSuite.atsSince15_4, staticRSASuites: CipherSuite.staticRSASince15_4,
            systemSuites: CipherSuite.atsSince15_4 + CipherSuite.staticRSASince15_4,
            countsOddBooleansAsFalse: countsOddBooleansAsFalse, hasBuiltInExceptions: true,
            logGeneration: logGeneration)
    }
}

extension CipherSuite {
    /// The ATS group of iOS 15.4 and later in the order offered since iOS 14. Source: `ats-semantics.md` 4.2 `[S]`.
    static let atsSince15_4 = [
        CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256"),
        CipherSuite(code: 0x1302, name: "TLS_AES_256_GCM_SHA384"),
        CipherSuite(code: 0x1303, name: "TLS_CHACHA20_POLY1305_SHA256"),
        CipherSuite(code: 0xC02C, name: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
        CipherSuite(code: 0xC02B, name: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
        CipherSuite(code: 0xCCA9, name: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
        CipherSuite(code: 0xC030, name: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"),
        CipherSuite(code: 0xC02F, name: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
        CipherSuite(code: 0xCCA8, name: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
        CipherSuite(code: 0xC00A, name: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"),
        CipherSuite(code: 0xC009, name: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"),
        CipherSuite(code: 0xC014, name: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"),
        CipherSuite(code: 0xC013, name: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"),
    ]

    /// Added by NSExceptionRequiresForwardSecrecy=NO since 15.4. Source: `ats-semantics.md` 4.3 `[S]`.
    static let staticRSASince15_4 = [
        CipherSuite(code: 0x009D, name: "TLS_RSA_WITH_AES_256_GCM_SHA384"),
        CipherSuite(code: 0x009C, name: "TLS_RSA_WITH_AES_128_GCM_SHA256"),
        CipherSuite(code: 0x0035, name: "TLS_RSA_WITH_AES_256_CBC_SHA"),
        CipherSuite(code: 0x002F, name: "TLS_RSA_WITH_AES_128_CBC_SHA"),
    ]
}
