import ATSPolicy
import Bytes
import TLSEngine
import Testing

@Suite("the hello on the wire matches the profile")
struct HelloShapeTests {
    private func hello(_ offer: TLSOffer, serverName: String = "origin.test", alpn: [String] = []) throws -> WireHello {
        let context = try OriginTLSContext(offer: offer)
        let side = try Side { try TLSMachine.origin(context, serverName: serverName, alpn: alpn, outbox: $0) }
        side.machine.start()
        return try #require(WireHello(Array(side.outbox.bytes)))
    }

    @Test("suites are in the profile's order", arguments: OSProfile.all)
    func suitesInOrder(profile: OSProfile) throws {
        for suites in [profile.atsSuites, profile.systemSuites, profile.staticRSASuites] {
            let offer = TLSOffer(minimum: .tls10, maximum: .tls13, suites: suites)
            // OpenSSL lacks 3DES and RC4 in its usual build.
            let suites = suites.filter { !$0.name.contains("_3DES_") && !$0.name.contains("_RC4_") }
            // 0x00FF is the renegotiation signal (RFC 5746 section 3.3), not a suite.
            #expect(try hello(offer).suites.filter { $0 != 0x00FF } == suites.map(\.code))
        }
    }

    @Test("versions are exactly the offer's")
    func versions() throws {
        #expect(try hello(atsOffer).versions == [0x0304, 0x0303])
        #expect(try hello(relaxedOffer).versions == [0x0304, 0x0303, 0x0302, 0x0301])
        let modern = TLSOffer(minimum: .tls10, maximum: .tls13, suites: Array(OSProfile.newest.atsSuites.prefix(3)))
        #expect(try hello(modern).versions == [0x0304])
    }

    @Test("the name is sent, staple and timestamps are requested, and tickets are not offered")
    func extensions() throws {
        let hello = try hello(atsOffer, alpn: ["h2"])
        // server_name 0, status_request 5, groups 10, ALPN 16, SCT 18 (IANA TLS ExtensionType values).
        #expect(Set([0, 5, 10, 16, 18]).isSubset(of: Set(hello.extensions.map(\.type))))
        #expect(!hello.extensions.contains { $0.type == 35 })
        for address in ["192.0.2.1", "192.0.513", "0xc0000201"] {
            #expect(try self.hello(atsOffer, serverName: address).extensions.contains { $0.type == 0 } == false)
        }
    }

    @Test("the diagnostic hello offers everything, weak suites included")
    func diagnostic() throws {
        let hello = try hello(.diagnostic)
        #expect(hello.versions == [0x0304, 0x0303, 0x0302, 0x0301])
        #expect(hello.suites.count > 80)
        // DHE, static RSA, no encryption, no certificate.
        #expect(Set([0x009E, 0x002F, 0x0002, 0x00A6]).isSubset(of: Set(hello.suites)))
    }

    @Test("suites that the library lacks are omitted; an offer without any other is an error")
    func unavailable() throws {
        let weak = CipherSuite(code: 0x000A, name: "TLS_RSA_WITH_3DES_EDE_CBC_SHA")
        let mixed = TLSOffer(minimum: .tls12, maximum: .tls12, suites: [weak] + atsOffer.suites)
        #expect(try !hello(mixed).suites.contains(weak.code))
        #expect(throws: TLSSetupError.noUsableSuite) {
            try OriginTLSContext(offer: TLSOffer(minimum: .tls12, maximum: .tls12, suites: [weak]))
        }
    }

    @Test("names that do not fit into a hello are errors")
    func impossibleNames() throws {
        let context = try OriginTLSContext(offer: atsOffer)
        for name in [String(repeating: "a", count: 256), "a\0b"] {
            #expect(throws: TLSSetupError.serverName) {
                try TLSMachine.origin(context, serverName: name, alpn: [], outbox: ByteQueue())
            }
        }
        for name in ["", String(repeating: "a", count: 256)] {
            #expect(throws: TLSSetupError.protocolName) {
                try TLSMachine.origin(context, serverName: "a.test", alpn: [name], outbox: ByteQueue())
            }
        }
    }
}

/// A ClientHello parsed from its bytes (RFC 8446 section 4.1.2); nil if it is malformed.
struct WireHello {
    var suites: [UInt16] = []
    var extensions: [(type: UInt16, body: [UInt8])] = []

    var versions: [UInt16] {
        guard let body = extensions.first(where: { $0.type == 43 })?.body else { return [] }
        return stride(from: 1, to: body.count - 1, by: 2).map { UInt16(body[$0]) << 8 | UInt16(body[$0 + 1]) }
    }

    init?(_ bytes: [UInt8]) {
        func number(_ index: Int) -> Int { Int(bytes[index]) << 8 | Int(bytes[index + 1]) }
        guard bytes.count > 44, bytes[0] == 22, number(3) == bytes.count - 5, bytes[5] == 1 else { return nil }
        var index = 44 + Int(bytes[43])
        let suitesEnd = index + 2 + number(index)
        index += 2
        while index < suitesEnd {
            suites.append(UInt16(number(index)))
            index += 2
        }
        index += 1 + Int(bytes[index])
        index += 2
        while index + 4 <= bytes.count {
            let end = index + 4 + number(index + 2)
            guard end <= bytes.count else { return nil }
            extensions.append((UInt16(number(index)), Array(bytes[(index + 4)..<end])))
            index = end
        }
    }
}
