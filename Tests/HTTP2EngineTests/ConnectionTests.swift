import Bytes
import HTTP2Engine
import HTTPWire
import Testing

@Suite("HTTP/2 connections")
struct ConnectionTests {
    @Test("the first frames to the app and to an origin")
    func greeting() throws {
        let server = Frames.parse(written(try HTTP2Machine(role: .client)))
        #expect(server.map(\.type) == [4, 8])
        #expect(entries(server[0].payload) == [4: 65_536, 6: 65_536, 3: 100])
        #expect(server[1].payload == Frames.word(262_144 - 65_535))
        let bytes = written(try HTTP2Machine(role: .origin))
        #expect(bytes.starts(with: Frames.preface[..<24]))
        let client = Frames.parse(Array(bytes[24...]))
        #expect(entries(client[0].payload) == [4: 65_536, 6: 65_536, 2: 0])
        var small = HTTP2Limits()
        small.concurrentStreams = 2
        let bounded = Frames.parse(written(try HTTP2Machine(role: .client, limits: small)))
        #expect(bounded[1].payload == Frames.word(131_072 - 65_535))
    }

    private func entries(_ payload: [UInt8]) -> [UInt16: UInt32] {
        var entries: [UInt16: UInt32] = [:]
        for start in stride(from: 0, to: payload.count, by: 6) {
            let id = UInt16(payload[start]) << 8 | UInt16(payload[start + 1])
            entries[id] = payload[(start + 2)..<(start + 6)].reduce(0) { $0 << 8 | UInt32($1) }
        }
        return entries
    }

    /// Frames that a peer must not send on a connection, and the expected error code.
    static let violations: [(name: String, bytes: [UInt8], code: UInt32)] = [
        ("frame too large", Frames.frame(0, 0, 1, [UInt8](repeating: 0, count: 16_385)), 6),
        ("DATA on stream 0", Frames.data(0, [1]), 1), ("HEADERS on stream 0", Frames.headers(0, Frames.get), 1),
        ("DATA on an idle stream", Frames.data(9, [1]), 1), ("CONTINUATION alone", Frames.frame(9, 4, 1, [0]), 1),
        ("HEADERS in a head", Frames.frame(1, 1, 1, [0]) + Frames.headers(1, Frames.get), 1),
        ("PING in a head", Frames.frame(1, 1, 1, [0]) + Frames.ping(), 1),
        ("bad table index", Frames.frame(1, 5, 1, [0xFF, 0xFF, 0xFF]), 9),
        ("zero index", Frames.frame(1, 5, 1, [0x80]), 9),
        ("cut field", Frames.frame(1, 5, 1, [0, 9, 9]), 9), ("short PING", Frames.frame(6, 0, 0, [1]), 6),
        ("short SETTINGS", Frames.frame(4, 0, 0, [1]), 6), ("SETTINGS with a stream", Frames.frame(4, 0, 1, []), 1),
        ("push switched to 2", Frames.settings([(2, 2)]), 1), ("window too large", Frames.settings([(4, .max)]), 3),
        ("RST_STREAM of an idle stream", Frames.reset(7), 1), ("short RST_STREAM", Frames.frame(3, 0, 1, [1]), 6),
        ("window of nothing", Frames.windowUpdate(0, 0), 1),
        ("window overflow", Frames.windowUpdate(0, 0x7FFF_FFFF) + Frames.windowUpdate(0, 0x7FFF_FFFF), 3),
        ("too much padding", Frames.headers(1, Frames.get, ends: false) + Frames.frame(0, 8, 1, [9, 0]), 1),
        ("even stream", Frames.headers(2, Frames.get), 1), ("short GOAWAY", Frames.frame(7, 0, 0, [1]), 6),
        ("depends on itself", Frames.frame(1, 0x25, 1, Frames.word(1) + [1] + Frames.block([])), 1),
        ("push by a client", Frames.frame(5, 4, 1, Frames.word(2)), 1),
    ]

    @Test("a protocol violation ends the connection with its error code", arguments: violations)
    func violation(name: String, bytes: [UInt8], code: UInt32) throws {
        for piece in [bytes.count, 1] {
            let (machine, ear) = try gate()
            for start in stride(from: 0, to: bytes.count, by: piece) {
                give(Array(bytes[start..<min(start + piece, bytes.count)]), to: machine)
            }
            guard case .failed(.violation(let told, _)) = machine.state else {
                Issue.record("\(name), by \(piece): \(machine.state)")
                continue
            }
            #expect(told == code, "\(name)")
            #expect(Frames.goAwayCode(in: written(machine)) == code, "\(name)")
            give(Frames.headers(11, Frames.get), to: machine)
            #expect(ear.requests[11] == nil && machine.isFinished)
        }
    }

    @Test("a push promise ends the connection, whether or not the settings are acknowledged")
    func push() throws {
        let (machine, ear) = try asking(1)
        let promise = Frames.word(2) + Frames.block(Frames.get.map { (Array($0.0.utf8), Array($0.1.utf8)) })
        give(Frames.frame(5, 4, 1, promise), to: machine)
        #expect(machine.state == .failed(.violation(code: 1, library: 0)))
        #expect(ear.ends == [1: .lost])
        #expect(Frames.goAwayCode(in: written(machine)) == 1)
    }

    @Test(
        "bytes that are not HTTP/2 fail immediately",
        arguments: ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}"])
    func stranger(text: String) throws {
        for role in [HTTP2Role.client, .origin] {
            let machine = try HTTP2Machine(role: role)
            give(Array(text.utf8) + [UInt8](repeating: 0x20, count: 30), to: machine)
            guard case .failed(.violation) = machine.state else {
                Issue.record("\(machine.state)")
                continue
            }
            #expect(Frames.goAwayCode(in: written(machine).filter { _ in true }) != nil || role == .origin)
        }
    }

    @Test("a preface without SETTINGS is invalid")
    func noSettings() throws {
        let machine = try HTTP2Machine(role: .client)
        give(Array(Frames.preface[..<24]) + Frames.headers(1, Frames.get), to: machine)
        guard case .failed(.violation(code: 1, _)) = machine.state else {
            Issue.record("\(machine.state)")
            return
        }
    }

    @Test("an origin's settings are available once they are in force")
    func settings() throws {
        let machine = try HTTP2Machine(role: .origin)
        let ear = EventLog()
        machine.handler = ear
        #expect(machine.peerConcurrentStreams == nil && !machine.peerAllowsConnectProtocol && machine.canOpenStream)
        give(Frames.settings([(3, 0), (8, 1)]), to: machine)
        #expect(machine.peerConcurrentStreams == 0 && machine.peerAllowsConnectProtocol && !machine.canOpenStream)
        give(Frames.settings([(3, 1)]), to: machine)
        #expect(machine.peerConcurrentStreams == 1 && machine.canOpenStream)
        #expect(ear.lines == ["settings", "settings"])
    }
}
