import ATSPolicy
import Bytes
import TLSEngine
import Testing

@Suite("the gate's own parser reads a hello like OpenSSL")
struct OrdinaryHelloTests {
    private let context: ClientTLSContext

    init() throws { context = try ClientTLSContext() }

    private func hello(
        _ offer: TLSOffer = atsOffer, serverName: String = "api.example.com", alpn: [String] = ["h2", "http/1.1"]
    ) throws -> [UInt8] {
        let context = try OriginTLSContext(offer: offer)
        let side = try Side { try TLSMachine.origin(context, serverName: serverName, alpn: alpn, outbox: $0) }
        side.machine.start()
        return Array(side.outbox.bytes)
    }

    private func readHere(_ bytes: [UInt8]) -> ClientHello? { bytes.withUnsafeBytes { ClientHello(alone: $0) } }

    /// Returns nil if OpenSSL rejects it or waits for more bytes.
    private func readByOpenSSL(_ bytes: [UInt8]) throws -> ClientHello? {
        let side = try Side { try TLSMachine.client(context, outbox: $0) }
        side.receive(bytes)
        return side.machine.state == .helloHeld ? side.machine.clientHello : nil
    }

    /// Returns `bytes` with changed extensions and adjusted lengths.
    private func hello(_ bytes: [UInt8], extensions change: ([UInt8]) -> [UInt8]) -> [UInt8] {
        var place = 5 + 4 + 34
        place += 1 + Int(bytes[place])
        place += 2 + (Int(bytes[place]) << 8 | Int(bytes[place + 1]))
        place += 1 + Int(bytes[place])
        let list = change(Array(bytes[(place + 2)...]))
        func two(_ count: Int) -> [UInt8] { [UInt8(count >> 8), UInt8(count & 0xFF)] }
        let body = Array(bytes[9..<place]) + two(list.count) + list
        return Array(bytes[..<3]) + two(body.count + 4) + [1, 0] + two(body.count) + body
    }

    @Test("the hellos of all profiles are read", arguments: OSProfile.all)
    func profiles(profile: OSProfile) throws {
        for suites in [profile.atsSuites, profile.systemSuites] {
            for (name, alpn) in [("api.example.com", ["h2", "http/1.1"]), ("192.0.2.1", []), ("x.test", ["h3"])] {
                let bytes = try hello(
                    TLSOffer(minimum: .tls10, maximum: .tls13, suites: suites), serverName: name, alpn: alpn)
                let read = try #require(readHere(bytes))
                #expect(try readByOpenSSL(bytes) == read)
                #expect(read.alpn == alpn)
            }
        }
    }

    @Test("an incomplete hello, or one with further bytes, is left to OpenSSL")
    func notAlone() throws {
        let bytes = try hello()
        for count in 0..<bytes.count { #expect(readHere(Array(bytes[..<count])) == nil) }
        #expect(readHere(bytes + [22]) == nil)
        #expect(readHere(bytes + bytes) == nil)
    }

    @Test("OpenSSL reads every hello with a changed byte that the parser accepts, with the same result")
    func changedBytes() throws {
        let bytes = try hello()
        var taken = 0
        for place in bytes.indices {
            for value: UInt8 in [0, 1, 0x7F, 0xFF, bytes[place] &+ 1, bytes[place] &- 1, bytes[place] ^ 0x80] {
                var changed = bytes
                changed[place] = value
                guard let read = readHere(changed) else { continue }
                taken += 1
                #expect(try readByOpenSSL(changed) == read, "byte \(place) is \(value)")
            }
        }
        #expect(taken > 1_000)
        #expect(taken < bytes.count * 7)
    }

    @Test("OpenSSL reads unusual extensions that the parser accepts, with the same result")
    func extensions() throws {
        let bytes = try hello()
        #expect(hello(bytes) { $0 } == bytes)
        let name: [UInt8] = [0, 0, 0, 6, 0, 4, 0, 0, 1, 97]
        let unknown: [UInt8] = [0x5A, 0x5A, 0, 1, 0]
        let lists: [([UInt8]) -> [UInt8]] = [
            { _ in [] }, { _ in name }, { $0 + unknown }, { $0 + [0xFF, 0xFF, 0, 0] },
            { _ in [0, 16, 0, 5, 0, 3, 2, 104, 50] }, { _ in [0, 43, 0, 3, 2, 3, 3] }, { _ in [0, 43, 0, 0] },
        ]
        for list in lists {
            let changed = hello(bytes, extensions: list)
            let read = try #require(readHere(changed))
            #expect(try readByOpenSSL(changed) == read)
        }
        let preSharedKey: [UInt8] = [0, 41, 0, 0]
        let others: [([UInt8]) -> [UInt8]] = [
            { $0 + name }, { $0 + unknown + unknown }, { preSharedKey + $0 }, { $0 + [0xFD, 0xE8, 0, 0] },
            { $0 + [0, 99, 0, 1] }, { $0 + [0] },
        ]
        for list in others { #expect(readHere(hello(bytes, extensions: list)) == nil) }
    }

    @Test("OpenSSL reads every extension type that the parser accepts, with the same result")
    func anyExtension() throws {
        let bytes = try hello()
        var taken = 0
        for type in Array(0..<256) + Array(0x3300..<0x3400) + Array(0xFD00...0xFFFF) {
            let changed = hello(bytes) { $0 + [UInt8(type >> 8), UInt8(type & 0xFF), 0, 0] }
            guard let read = readHere(changed) else { continue }
            taken += 1
            #expect(try readByOpenSSL(changed) == read, "extension \(type)")
        }
        #expect(taken > 1_200)
    }

    @Test("both parsers report an encrypted part")
    func encrypted() throws {
        let plain = try hello()
        #expect(readHere(plain)?.isEncrypted == false)
        let changed = hello(plain) { $0 + [0xFE, 0x0D, 0, 3, 1, 2, 3] }
        #expect(readHere(changed)?.isEncrypted == true)
        #expect(try readByOpenSSL(changed)?.isEncrypted == true)
    }

    @Test("the gate can still answer a hello that it parsed itself")
    func answered() throws {
        let app = try Side {
            try TLSMachine.origin(try OriginTLSContext(offer: atsOffer), serverName: "x.test", alpn: [], outbox: $0)
        }
        app.machine.start()
        let held = try #require(HeldClient(app.outbox.bytes, context))
        app.outbox.removeAll()
        #expect(held.hello.serverName == .name("x.test"))
        #expect(held.suite(0x1301).name == "TLS_AES_128_GCM_SHA256")
        let gate = try Side { try held.machine(outbox: $0) }
        #expect(gate.machine.state == .helloHeld)
        let authority = try CertificateAuthority.ephemeral(commonName: "Test CA", now: now)
        gate.machine.finish(leaf: try LeafMint(authority: authority).leaf(for: "x.test", now: now), alpn: nil)
        carry(app, gate)
        #expect(gate.machine.state == .established)
        #expect(app.machine.state == .established)
        #expect(try held.machine(outbox: ByteQueue()) === gate.machine)
    }
}
