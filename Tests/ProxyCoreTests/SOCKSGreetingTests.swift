import ProxyCore
import Testing

@Suite("the first bytes of SOCKS5 clients")
struct SOCKSGreetingTests {
    private static let hello: [UInt8] = [5, 1, 0]

    /// A request for `address`, whose first byte is its type.
    private static func request(_ address: [UInt8], command: UInt8 = 1, port: UInt16 = 443) -> [UInt8] {
        [5, command, 0] + address + [UInt8(port >> 8), UInt8(port & 0xFF)]
    }

    private static func name(_ text: String) -> [UInt8] { [3, UInt8(text.utf8.count)] + Array(text.utf8) }

    private static func version6(_ groups: [UInt16]) -> [UInt8] {
        [4] + groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    /// Returns all events of `bytes`, which arrive in pieces, and the unread bytes.
    private func read(_ pieces: [ArraySlice<UInt8>]) -> (events: [SOCKSGreeting.Event], rest: [UInt8]) {
        var greeting = SOCKSGreeting()
        var inbox: [UInt8] = []
        var events: [SOCKSGreeting.Event] = []
        for piece in pieces {
            inbox += piece
            while true {
                let step = inbox.withUnsafeBytes { greeting.next(in: $0) }
                inbox.removeFirst(step.consumed)
                guard let event = step.event else { break }
                events.append(event)
            }
        }
        return (events, inbox)
    }

    /// RFC 1035 section 2.3.4.
    private static let longest =
        String(repeating: String(repeating: "a", count: 63) + ".", count: 3)
        + String(repeating: "b", count: 61)

    @Test(
        "a request may contain any type of address, in any split",
        arguments: [
            (name("Good.Test"), "good.test"), (name("a_b-c.example."), "a_b-c.example."),
            (name("192.0.2.7"), "192.0.2.7"), (name("2001:DB8::1"), "2001:db8::1"),
            ([1, 192, 0, 2, 255], "192.0.2.255"),
            (version6([0x2001, 0xDB8, 0, 0, 1, 0, 0, 1]), "2001:db8::1:0:0:1"),
            (version6([0, 0, 0, 0, 0, 0, 0, 1]), "::1"), (version6([0, 0, 0, 0, 0, 0, 0, 0]), "::"),
            (version6([1, 0, 0, 0, 0, 0, 0, 0]), "1::"), (version6([1, 0, 2, 3, 4, 5, 6, 7]), "1:0:2:3:4:5:6:7"),
            (name(longest), longest),
        ])
    func addresses(address: [UInt8], host: String) {
        let bytes = Self.hello + Self.request(address, port: 8_443) + [0x16, 3, 1]
        let whole = read([bytes[...]])
        #expect(whole.events == [.methodAccepted, .connect(host: host, port: 8_443)])
        #expect(whole.rest == [0x16, 3, 1])
        for cut in 0...bytes.count {
            let split = read([bytes[..<cut], bytes[cut...]])
            #expect(split.events == whole.events && split.rest == whole.rest, "cut at \(cut)")
        }
        let single = read(bytes.indices.map { bytes[$0...$0] })
        #expect(single.events == whole.events && single.rest == whole.rest)
    }

    @Test(
        "an unsupported or malformed request gets its reply",
        arguments: [
            (request(name("a.test"), command: 2), SOCKSReply.commandNotSupported),
            (request([1, 0, 0, 0, 0], command: 3), .commandNotSupported),
            (request([2, 1]), .addressTypeNotSupported), (request(name("")), .generalFailure),
            (request(name("a.test"), port: 0), .generalFailure), (request(name("a b")), .generalFailure),
            (request(name("a\r\nb")), .generalFailure), (request(name("a\u{0}")), .generalFailure),
            (request(name("é.test")), .generalFailure), (request([3, 2, 0xFF, 0xFE]), .generalFailure),
            (request(name("[::1]")), .generalFailure), (request(name("a..test")), .generalFailure),
            (request(name(String(repeating: "a", count: 255))), .generalFailure),
        ])
    func refusals(request: [UInt8], reply: SOCKSReply) {
        let bytes = Self.hello + request
        for cut in 0...bytes.count {
            #expect(read([bytes[..<cut], bytes[cut...]]).events == [.methodAccepted, .refused(reply)])
        }
    }

    @Test("a client that requires authentication is refused", arguments: [[5, 0], [5, 1, 2], [5, 3, 1, 2, 0x80]])
    func methods(bytes: [UInt8]) {
        #expect(read([bytes[...]]).events == [.methodRefused])
    }

    @Test(
        "other versions and other protocols are refused", arguments: [[4, 1, 0, 80], [0x16, 3, 1], [0x47, 0x45]])
    func otherProtocols(bytes: [UInt8]) {
        #expect(read([bytes[...]]).events == [.stranger])
        #expect(read([(Self.hello + bytes)[...]]).events == [.methodAccepted, .stranger])
    }

    @Test("seeded random bytes never trap and yield at most one final event")
    func monkey() {
        var state: UInt64 = 1928
        func die(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % sides
        }
        for _ in 0..<20_000 {
            let bytes = Self.hello.prefix(die(4)) + (0..<die(40)).map { _ in UInt8(die(4) == 0 ? die(256) : die(6)) }
            let events = read(bytes.indices.map { bytes[$0...$0] }).events
            #expect(events.count <= 2, "seed 1928: \(bytes)")
            #expect(events == read([bytes]).events, "seed 1928: \(bytes)")
        }
    }
}
