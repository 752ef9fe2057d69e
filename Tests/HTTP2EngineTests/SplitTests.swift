import Bytes
import HTTP2Engine
import HTTPWire
import Seeded
import Testing

@Suite("any bytes in any pieces")
struct SplitTests {
    /// All bytes that both sides sent in a varied conversation.
    private static func recording() throws -> (toServer: [UInt8], toApp: [UInt8]) {
        let app = try HTTP2Machine(role: .origin)
        let server = try HTTP2Machine(role: .client)
        let appEar = EventLog()
        let serverEar = EventLog()
        app.handler = appEar
        server.handler = serverEar
        serverEar.onRequest = { request, stream in
            if request.head.target == .path("/reset") { return stream.reset(.internalError) }
            stream.answer(ResponseHead(status: 103, reason: "", framing: .none), endsStream: false)
            let head = ResponseHead(
                status: 200, reason: "", fields: fields([("Server", "x"), ("Content-Type", "text/plain")]),
                framing: .chunked)
            stream.answer(head, endsStream: false)
            stream.send([UInt8](repeating: 9, count: 40))
            stream.finish(trailers: fields([("x-sum", "1")]))
        }
        for (index, path) in ["/", "/a", "/reset", "/b?c=d"].enumerated() {
            let head = RequestHead(
                method: .post, target: .path(path),
                fields: fields([("Host", "a.test"), ("Cookie", "a=1"), ("Cookie", "b=2"), ("N", "\(index)")]),
                framing: .fixed(3))
            let stream = app.open(HTTP2Request(head: head, scheme: "https", endsStream: false), handler: appEar)
            stream?.send([1, 2, 3])
            stream?.finish()
        }
        var toServer: [UInt8] = []
        var toApp: [UInt8] = []
        while app.wantsToWrite || server.wantsToWrite {
            let ahead = written(app)
            give(ahead, to: server)
            toServer += ahead
            let back = written(server)
            give(back, to: app)
            toApp += back
            if ahead.isEmpty && back.isEmpty { break }
        }
        app.shutDown(.noError)
        return (toServer + written(app), toApp)
    }

    private static func events(_ pieces: [[UInt8]], isServer: Bool) throws -> [String] {
        let ear = EventLog()
        let machine = try HTTP2Machine(role: isServer ? .client : .origin)
        machine.handler = ear
        if !isServer {
            for _ in 0..<4 {
                let head = RequestHead(method: .post, target: .path("/"), fields: fields([("Host", "a")]))
                _ = machine.open(HTTP2Request(head: head, scheme: "https", endsStream: true), handler: ear)
            }
            _ = written(machine)
        }
        for piece in pieces { give(piece, to: machine) }
        return ear.lines + ["\(machine.state)"] + ear.bodies.keys.sorted().map { "\(ear.bodies[$0] ?? [])" }
    }

    @Test("every split of a conversation yields the same events", arguments: [true, false])
    func splits(isServer: Bool) throws {
        let recording = try Self.recording()
        let bytes = isServer ? recording.toServer : recording.toApp
        let whole = try Self.events([bytes], isServer: isServer)
        #expect(whole.contains { $0.contains("ended") } && whole.contains { $0.contains("x-sum") || isServer })
        for index in 1..<bytes.count {
            let split = try Self.events([Array(bytes[..<index]), Array(bytes[index...])], isServer: isServer)
            #expect(split == whole, "split at \(index)")
        }
        for size in [1, 2, 3, 7] {
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            #expect(try Self.events(pieces, isServer: isServer) == whole, "in pieces of \(size)")
        }
    }

    @Test("random and mutated bytes end in a state without a trap, regardless of what handlers do")
    func monkey() throws {
        let recording = try Self.recording()
        for seed in UInt64(1)...3_000 {
            var dice = SeededGenerator(seed: seed)
            let isServer = seed % 2 == 0
            let machine = try HTTP2Machine(role: isServer ? .client : .origin)
            let ear = EventLog()
            machine.handler = ear
            var bytes = isServer ? recording.toServer : recording.toApp
            for _ in 0..<Int.random(in: 0...6, using: &dice) { Self.mutate(&bytes, &dice) }
            if seed % 10 == 0 { bytes = (0..<300).map { _ in UInt8.random(in: 0...255, using: &dice) } }
            var start = 0
            while start < bytes.count {
                let end = min(start + Int.random(in: 1...120, using: &dice), bytes.count)
                machine.ticks += Int64.random(in: -5...2_000_000, using: &dice)
                give(Array(bytes[start..<end]), to: machine)
                start = end
                Self.meddle(machine, ear, &dice)
            }
            _ = written(machine)
            #expect(machine.activeStreams <= 100, "seed \(seed)")
            if case .failed = machine.state {
                #expect(machine.activeStreams == 0 && machine.isFinished, "seed \(seed)")
            }
            let closed = ear.lines.filter { $0.contains(" closed ") }
            #expect(closed.count == ear.ends.count, "seed \(seed): a stream ended twice")
        }
    }

    private static func mutate(_ bytes: inout [UInt8], _ dice: inout SeededGenerator) {
        let index = Int.random(in: 0..<bytes.count, using: &dice)
        switch UInt8.random(in: 0..<4, using: &dice) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &dice)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
        case 2: bytes.removeSubrange(index..<min(index + Int.random(in: 1...20, using: &dice), bytes.count - 1))
        default: bytes.insert(contentsOf: bytes[index..<min(index + 30, bytes.count)], at: index)
        }
    }

    private static func meddle(_ machine: HTTP2Machine, _ ear: EventLog, _ dice: inout SeededGenerator) {
        let stream = ear.streams.values.randomElement(using: &dice)
        switch UInt8.random(in: 0..<15, using: &dice) {
        case 0: stream?.reset(.cancel)
        case 1: stream?.answer(ResponseHead(status: 200, reason: ""), endsStream: Bool.random(using: &dice))
        case 2: stream?.send([1, 2])
        case 3: stream?.finish(trailers: Bool.random(using: &dice) ? fields([("a", "b")]) : nil)
        case 4: stream?.consume(Int.random(in: 0...100_000, using: &dice))
        case 5: if Bool.random(using: &dice) { machine.shutDown(Bool.random(using: &dice) ? .noError : .cancel) }
        case 6: stream?.answer(ResponseHead(status: 100, reason: "", framing: .none), endsStream: false)
        case 7: stream?.reset(.noError)
        case 8...11: _ = written(machine)
        case 12: if UInt8.random(in: 0..<8, using: &dice) == 0 { machine.abandon() }
        default:
            let head = RequestHead(method: .get, target: .path("/"), fields: fields([("Host", "a")]))
            let request = HTTP2Request(head: head, scheme: "https", endsStream: Bool.random(using: &dice))
            if let stream = machine.open(request, handler: ear) { ear.streams[stream.id] = stream }
        }
    }
}
