import ControlPlane
import Dispatch
import Foundation
import HTTPWire
import Testing

/// Requests and responses on one connection of the page.
@Suite(.timeLimit(.minutes(2)))
struct ConnectionTests {
    private let echo = WebRoute(.post, "/test/echo", .reading) { call in
        .plain("\(call.query("of") ?? "-") \(String(decoding: call.body, as: UTF8.self))\n")
    }

    private func fields(_ rig: PageRig) -> String {
        "Host: 127.0.0.1\r\nAuthorization: Bearer \(rig.token.text)\r\n"
    }

    @Test("pipelined requests are answered one after the other, in order")
    func pipelined() async throws {
        let rig = try PageRig(more: [echo])
        let client = try PageClient(port: rig.port)
        let requests = (0..<50).map { number in
            "POST /test/echo?of=\(number) HTTP/1.1\r\n\(fields(rig))Content-Length: 2\r\n\r\nab"
        }
        await client.send(
            requests.joined() + "GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        let lines = await client.receiveAll().split(whereSeparator: \.isNewline)
        #expect(lines.filter { $0.hasSuffix(" ab") } == (0..<50).map { "\($0) ab" })
        #expect(lines.last == "{\"status\":\"ok\"}")
    }

    @Test("a request that arrives byte by byte is answered like a whole one")
    func inPieces() async throws {
        let rig = try PageRig(more: [echo])
        let client = try PageClient(port: rig.port)
        let request =
            "POST /test/echo?of=x HTTP/1.1\r\n\(fields(rig))Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        for character in request { await client.send(String(character)) }
        #expect(await client.receive(until: "abc\n").hasSuffix("x abc\n"))
    }

    @Test("HEAD gets the length of GET's response, but no body")
    func head() async throws {
        let rig = try PageRig()
        let answer = try await rig.ask("HEAD /", [rig.cookie])
        #expect(answer.status == 200)
        #expect(answer.contains("Content-Length: \(try await rig.ask("/", [rig.cookie]).body.utf8.count)\r\n"))
        #expect(answer.body.isEmpty)
    }

    @Test("100 Continue is sent only if the body is welcome")
    func expectation() async throws {
        let rig = try PageRig(more: [echo])
        let head = "POST /test/echo HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n"
        let client = try PageClient(port: rig.port)
        await client.send(head + fields(rig) + "\r\n")
        #expect(await client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        await client.send("ok")
        #expect(await client.receive(until: "ok\n").status == 200)
        let stranger = try PageClient(port: rig.port)
        await stranger.send(head + "Host: 127.0.0.1\r\n\r\n")
        #expect(await stranger.receiveAll().status == 401)
    }

    @Test("a half-closed client still gets its response")
    func halfClosed() async throws {
        let rig = try PageRig(more: [echo])
        let client = try PageClient(port: rig.port)
        await client.send("POST /test/echo HTTP/1.1\r\n\(fields(rig))Content-Length: 2\r\n\r\nab")
        client.endSending()
        #expect(await client.receiveAll().hasSuffix("- ab\n"))
    }

    @Test("a slow request does not keep others from being answered")
    func slowQuestion() async throws {
        let mayEnd = DispatchSemaphore(value: 0)
        let slow = WebRoute(.get, "/test/slow", .reading) { _ in
            mayEnd.wait()
            return .plain("at last\n")
        }
        let rig = try PageRig(more: [slow])
        let client = try PageClient(port: rig.port)
        await client.send("GET /test/slow HTTP/1.1\r\n\(fields(rig))\r\n")
        #expect(try await rig.ask("/api/v1/health").status == 200)
        #expect(try await rig.script("/").status == 200)
        mayEnd.signal()
        #expect(await client.receive(until: "at last").status == 200)
    }

    @Test("a response that takes longer than its limit is abandoned, and its connection closed")
    func answerTooLate() async throws {
        let mayEnd = DispatchSemaphore(value: 0)
        let slow = WebRoute(.get, "/test/slow", .reading) { _ in
            mayEnd.wait()
            return .plain("too late\n")
        }
        var limits = WebLimits()
        limits.answer = .milliseconds(200)
        let rig = try PageRig(limits, more: [slow])
        let client = try PageClient(port: rig.port)
        await client.send("GET /test/slow HTTP/1.1\r\n\(fields(rig))\r\n")
        #expect(await client.isClosed())
        mayEnd.signal()
        #expect(try await rig.script("/api/v1/health").status == 200)
    }

    @Test("a stream's place is free as soon as its reader has left")
    func seatOfALeaver() async throws {
        var limits = WebLimits()
        limits.streams = 1
        // There are no events here, so no write detects the closed connection.
        let rig = try PageRig(limits)
        let request = "GET /api/v1/events HTTP/1.1\r\n\(fields(rig))\r\n"
        let first = try PageClient(port: rig.port)
        await first.send(request)
        #expect(await first.receive(until: "event: changes").status == 200)
        first.endSending()
        _ = await first.receiveAll()
        let second = try PageClient(port: rig.port)
        await second.send(request)
        #expect(await second.receive(until: "event: changes").status == 200)
    }

    @Test("a plus and an escaped plus in a query are decoded as browsers mean them")
    func blanks() async throws {
        let rig = try PageRig(more: [echo])
        #expect(try await rig.script("POST /test/echo?a&of=my+own%2Brun&of=no", body: "!").body == "my own+run !\n")
    }

    @Test("a malformed request gets a response with all security fields, and its connection is closed")
    func unreadable() async throws {
        let rig = try PageRig()
        for (request, status) in [
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400), ("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n", 400),
            ("GET / HTTP/3.0\r\nHost: a\r\n\r\n", 505), ("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n", 400),
        ] {
            let client = try PageClient(port: rig.port)
            await client.send(request)
            let answer = await client.receiveAll()
            #expect(answer.status == status, "\(request)")
            #expect(answer.contains("X-Content-Type-Options: nosniff\r\n"))
            #expect(answer.contains("Connection: close\r\n"))
        }
    }
}
