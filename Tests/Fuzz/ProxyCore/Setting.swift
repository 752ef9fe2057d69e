import ATSPolicy
import Declarations
import Foundation
import ProxyCore
import Records
import TLSEngine
import Text

/// The start of a conversation and its rules, from the bits of an input's first byte.
struct Setting {
    enum Opening: UInt8 {
        /// The script determines the first bytes.
        case plain
        /// A tunnel in which an app starts a handshake.
        case tunnel, streams
        /// A SOCKS listener.
        case socks
        /// Redirected from an address that the client wanted.
        case redirected
    }

    /// Bits 0 and 1; with bit 7, SOCKS becomes redirected.
    let opening: Opening
    /// Bit 4 of a redirected connection: an app starts a handshake immediately.
    var beginsWithTLS: Bool { opening == .redirected && kind & 16 != 0 }
    /// Bit 2: readers read only when the script lets them.
    let isSlow: Bool
    /// Bit 6: a client's bytes in a tunnel reach its origin unread.
    let passesThrough: Bool
    private let kind: UInt8

    init(_ kind: UInt8) {
        self.kind = kind
        passesThrough = kind & 64 != 0
        opening = kind & 131 == 131 ? .redirected : Opening(rawValue: kind & 3) ?? .plain
        isSlow = kind & 4 != 0
    }

    /// Bit 3: audit mode. Bits 4 and 5: the style of refusals. Bit 7: other traffic and upgrades are refused.
    func law(isStrict: Bool) -> GatePolicy {
        var limits = SessionLimits()
        limits.highWaterBytes = Self.highWater
        let isClosed = kind & 128 != 0 && opening != .redirected
        var rules = LoadRules()
        rules.mode = kind & 8 != 0 ? .audit : .enforce
        rules.refusal = RefusalStyle.allCases[Int(kind >> 4 & 3) % RefusalStyle.allCases.count]
        rules.passthrough = passesThrough ? ["good.test"] : []
        rules.otherUpgrades = isClosed ? .refuse : .relay
        rules.otherTraffic = isClosed ? .refuse : .relay
        rules.limits = limits
        return GatePolicy(
            system: JudgedSystem(judge: isStrict ? Self.strict : Self.open), rules: rules, trust: Self.trust,
            recording: "fuzz", ownAuthorities: ["127.0.0.1:9802"])
    }

    func loop() -> LoopContext {
        LoopContext(
            policy: law(isStrict: false), authority: Self.authority, untrusted: Self.untrusted,
            clientContext: Self.clientContext,
            identifiers: { LogIdentifiers(task: "00000000-0000-0000-0000-000000000000", taskIndex: 1, connection: 1) })
    }

    /// The source of the client's connection.
    var place: ClientSource {
        var place = ClientSource(address: "127.0.0.1:5000")
        switch opening {
        case .plain, .tunnel, .streams: break
        case .socks: place.entrance = .socks
        case .redirected:
            let port = beginsWithTLS ? 443 : 80
            place.label = isSlow ? nil : "phone"
            place.entrance = .transparent
            place.original = OriginalDestination(address: .v4(192 << 24 | 2 << 8 | 1), port: port)
        }
        return place
    }

    static let highWater = 2_000
    /// 2026-11-20T00:00:00Z.
    static let now: Int64 = 1_795_132_800

    private static let open = judge(
        #"{"NSExceptionDomains":{"test":{"NSIncludesSubdomains":true,"NSExceptionAllowsInsecureHTTPLoads":true}}}"#)
    private static let strict = judge("{}")

    private static func judge(_ dictionary: String) -> Judge {
        let text = "{\"NSAppTransportSecurity\":\(dictionary)}"
        guard let declaration = try? DeclarationReader.parse(Array(text.utf8), source: "fuzz") else {
            fatalError("the fuzzer's own dictionary is broken")
        }
        return Judge(declaration: declaration, profile: .newest)
    }

    // MARK: Certificates

    private static let authority = made { try CertificateAuthority.ephemeral(commonName: "Gate", now: now) }
    private static let untrusted = made { try CertificateAuthority.ephemeral(commonName: "Nobody", now: now) }
    private static let clientContext = made { try ClientTLSContext() }
    static let appContext = made {
        try OriginTLSContext(offer: TLSOffer(minimum: .tls12, maximum: .tls13, suites: OSProfile.newest.atsSuites))
    }
    private static let root = rootMade("Root")
    private static let trust = made {
        let file = NSTemporaryDirectory() + "atsgate-fuzz-\(UUID().uuidString).pem"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try root.certificatePEM.write(toFile: file, atomically: true, encoding: .utf8)
        return try TrustStore(systemRootsPEM: [file], userRootsPEM: [])
    }

    /// Contexts of origins: sound in HTTP/1.1 and HTTP/2, untrusted, and one that requests a certificate.
    static let origins: [ServerTLSContext] = [
        origin(root, ["http/1.1"]), origin(root, ["h2"]), origin(rootMade("Strange"), ["http/1.1"]),
        origin(root, ["http/1.1"], asks: true),
    ]

    private static func rootMade(_ name: String) -> SigningIdentity {
        made {
            try CertificateRecipe(
                commonName: name, notBefore: now - 8_640_000, notAfter: now + 86_400_000, isCA: true
            ).issued(by: nil)
        }
    }

    private static func origin(
        _ issuer: SigningIdentity, _ alpn: [String], asks: Bool = false
    ) -> ServerTLSContext {
        made {
            let recipe = CertificateRecipe(
                commonName: "good.test", dnsNames: ["good.test"], notBefore: now - 86_400, notAfter: now + 7_776_000,
                extendedKeyUsages: [.serverAuth])
            var settings = ServerTLSSettings(identity: try recipe.issued(by: issuer), alpn: alpn)
            settings.requestsClientCertificate = asks
            return try ServerTLSContext(settings: settings)
        }
    }

    private static func made<Value>(_ make: () throws -> Value) -> Value {
        guard let value = try? make() else { fatalError("the fuzzer's own certificates cannot be made") }
        return value
    }
}
