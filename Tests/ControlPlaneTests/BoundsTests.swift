import ControlPlane
import Foundation
import HTTPWire
import NetLoop
import Testing

/// Limits on the cost of clients.
@Suite(.timeLimit(.minutes(2)))
struct BoundsTests {
    private static var quick: WebLimits {
        var limits = WebLimits()
        limits.idle = .milliseconds(900)
        limits.stall = .milliseconds(200)
        return limits
    }

    @Test("an idle connection is closed after a while, and so is one whose head arrives too slowly")
    func idle() async throws {
        let rig = try PageRig(Self.quick)
        let silent = try PageClient(port: rig.port)
        let slow = try PageClient(port: rig.port)
        await slow.send("GET / HTTP/1.1\r\nHost: ")
        #expect(await silent.isClosed())
        #expect(await slow.isClosed())
    }

    @Test(
        "of many idle connections those beyond the limit are closed immediately, and the others stay")
    func crowd() async throws {
        var limits = WebLimits()
        limits.connections = 4
        // Longer than the crowd takes to connect. Tests/Page/cost.sh has a crowd of 10,000.
        limits.idle = .seconds(100)
        limits.crowdedIdle = .seconds(100)
        let rig = try PageRig(limits)
        let inside = try (0..<4).map { _ in try PageClient(port: rig.port) }
        for client in inside {
            await client.send("GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            #expect(await client.receive(until: "ok").status == 200)
        }
        let crowd = try await PageClient.crowd(of: 150, port: rig.port)
        for client in inside {
            await client.send("GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            #expect(await client.receive(until: "ok").status == 200)
        }
        for stranger in crowd.suffix(100) { try #require(await stranger.isClosed()) }
    }

    @Test("idle connections soon free half of their places, so that the page can be opened")
    func placesForThoseWhoAsk() async throws {
        var limits = WebLimits()
        limits.connections = 4
        limits.idle = .seconds(100)
        limits.crowdedIdle = .milliseconds(200)
        let rig = try PageRig(limits)
        let crowd = try (0..<4).map { _ in try PageClient(port: rig.port) }
        for client in crowd.suffix(2) { try #require(await client.isClosed()) }
        for _ in 0..<2 { #expect(try await rig.ask("/api/v1/health").status == 200) }
    }

    @Test("an endless head is refused before it fills the memory")
    func endlessHead() async throws {
        let rig = try PageRig()
        let client = try PageClient(port: rig.port)
        await client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + String(repeating: "x", count: 40_000))
        #expect(await client.receiveAll().status == 431)
    }

    @Test("a body is not read without the token, and with it only up to the limit")
    func bodies() async throws {
        let echo = WebRoute(.post, "/test/echo", .reading) { call in .plain("\(call.body.count)") }
        var limits = WebLimits()
        limits.bodyBytes = 100_000
        let rig = try PageRig(limits, more: [echo])
        let stranger = try PageClient(port: rig.port)
        await stranger.send("POST /test/echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 90000\r\n\r\n")
        let answer = await stranger.receiveAll()
        #expect(answer.status == 401)
        #expect(answer.contains("Connection: close"))
        #expect(try await rig.script("POST /test/echo", body: String(repeating: "y", count: 100_000)).body == "100000")
        #expect(try await rig.script("POST /test/echo", body: String(repeating: "y", count: 100_001)).status == 413)
        let chunked = try PageClient(port: rig.port)
        await chunked.send(
            "POST /test/echo HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(rig.token.text)\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n")
        await chunked.send("19000\r\n" + String(repeating: "z", count: 0x19000))
        let refusal = await chunked.receiveAll()
        #expect(refusal.status == 413 && refusal.body.hasPrefix(#"{"error":"The body is larger than allowed."}"#))
    }

    @Test("a client that never reads is disconnected; new events are folded, not queued")
    func neverReads() async throws {
        let big = WebRoute(.get, "/test/big", .reading) { _ in
            WebAnswer("text/plain", [UInt8](repeating: 0x61, count: 50_000_000))
        }
        let rig = try PageRig(Self.quick, more: [big])
        let client = try PageClient(port: rig.port)
        await client.send(
            "GET /test/big HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(rig.token.text)\r\n\r\n")
        // Other clients are served in the meantime, and the stuck one is disconnected before its response ends.
        #expect(try await rig.ask("/api/v1/health").status == 200)
        let other = try PageClient(port: rig.port)
        #expect(await other.isClosed())
        #expect(await client.receiveAll().utf8.count < 50_000_000)
    }

    @Test("streams beyond the limit are refused, and an ended stream frees its place")
    func slots() async throws {
        var limits = WebLimits()
        limits.streams = 1
        let rig = try PageRig(limits)
        let request =
            "GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(rig.token.text)\r\n\r\n"
        let first = try PageClient(port: rig.port)
        await first.send(request)
        #expect(await first.receive(until: "event: changes").status == 200)
        let second = try PageClient(port: rig.port)
        await second.send(request)
        #expect(await second.receive(until: "}").status == 503)
    }

    @Test("the server ends although streams are open and connections idle")
    func ends() async throws {
        // The server's tasks share their threads with other tests, so this does not measure how soon they run. All
        // timeouts for clients are longer than the test. The closed port therefore shows that the tasks were cancelled.
        var limits = WebLimits()
        limits.end = .seconds(60)
        (limits.idle, limits.answer, limits.stall) = (.seconds(3_600), .seconds(3_600), .seconds(3_600))
        let rig = try PageRig(limits)
        let stream = try PageClient(port: rig.port)
        await stream.send(
            "GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(rig.token.text)\r\n\r\n")
        #expect(await stream.receive(until: "event: changes").status == 200)
        let idle = try PageClient(port: rig.port)
        await rig.stop()
        _ = await stream.receiveAll()
        #expect(await idle.isClosed())
        #expect(throws: POSIXError.self) { try PageClient(port: rig.port) }
    }

    @Test("if a port is in use, the next free one is used, within the number of tries")
    func nextPort() async throws {
        let first = try WebServer(WebAddress(port: 0))
        defer { first.stop() }
        let second = try WebServer(first.address, tries: 20)
        defer { second.stop() }
        #expect(second.address.port > first.address.port)
        #expect(throws: NetError.self) { try WebServer(first.address) }
    }
}
