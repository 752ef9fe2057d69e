import ATSPolicy
import Bytes
import HTTPWire
import Lab
import Testing

@Suite("responses of the lab's origins", .timeLimit(.minutes(10)))
struct RouteTests {
    struct Reply {
        var head: ResponseHead
        var body: [UInt8] = []
        var trailers: FieldBlock?
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Sends `requests` to the cleartext origin, or to the TLS 1.3 one, and reads replies until it ends.
    func replies(
        to requests: String, body: [UInt8] = [], methods: [Method] = [], overTLS: Bool = false
    ) async throws -> [Reply] {
        let neighbourhood = try LabEnvironment.shared.get()
        let name = overTLS ? "good.lab.test" : "cleartext.lab.test"
        let origin = try #require(neighbourhood.lab.origin(named: name))
        let visit = try await neighbourhood.visit(
            origin, overTLS ? .diagnostic : nil, saying: Array(requests.utf8) + body)
        return try Self.parse(visit.answer, methods)
    }

    static func parse(_ bytes: [UInt8], _ methods: [Method]) throws -> [Reply] {
        let queue = ByteQueue()
        queue.append(bytes)
        var reader = MessageReader.responses()
        var methods = methods[...]
        var replies: [Reply] = []
        if let method = methods.popFirst() { reader.expectResponse(to: method) }
        func take(_ event: MessageReader.Event, _ payload: [UInt8]) {
            switch event {
            case .responseHead(let head): replies.append(Reply(head: head))
            case .body: replies[replies.count - 1].body += payload
            case .trailers(let fields): replies[replies.count - 1].trailers = fields
            case .end: if let method = methods.popFirst() { reader.expectResponse(to: method) }
            case .requestHead: break
            }
        }
        while true {
            let step = try reader.next(in: queue.bytes)
            let payload = step.body.map { Array(queue.bytes[$0]) } ?? []
            queue.consume(step.consumed)
            guard let event = step.event else { break }
            take(event, payload)
        }
        _ = try reader.endOfInput()
        return replies
    }

    static func get(_ path: String, _ fields: String = "Connection: close\r\n", method: String = "GET") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: cleartext.lab.test\r\n\(fields)\r\n"
    }

    @Test("requests on one connection are answered in order, pipelined ones too", arguments: [false, true])
    func keepsAlive(overTLS: Bool) async throws {
        let replies = try await replies(
            to: Self.get("/", "") + Self.get("/bytes/100000", "") + Self.get("/slow?ms=30", "") + Self.get("/chunked"),
            overTLS: overTLS)
        #expect(replies.map(\.head.status) == [200, 200, 200, 200])
        #expect(replies[1].body == (0..<100_000).map { UInt8($0 % 251) })
        #expect(replies[2].text == "waited 30 ms\n")
        #expect(replies[3].head.framing == .chunked)
        #expect(replies[3].text.hasSuffix("line 10\n"))
        #expect(replies.map(\.head.isPersistent) == [true, true, true, false])
    }

    @Test("a long body arrives complete through full sockets", arguments: [false, true])
    func streams(overTLS: Bool) async throws {
        let count = 64 << 20
        let reply = try #require(try await replies(to: Self.get("/bytes/\(count)"), overTLS: overTLS).first)
        #expect(reply.body.count == count)
        #expect(reply.body.last == UInt8((count - 1) % 251))
    }

    @Test("HEAD gets the length and no body on every route")
    func head() async throws {
        let replies = try await replies(
            to: Self.get("/bytes/1000", "", method: "HEAD") + Self.get("/chunked", "", method: "HEAD")
                + Self.get("/", method: "HEAD"), methods: [.head, .head, .head])
        #expect(replies.count == 3)
        #expect(replies[0].head.fields.value(of: .contentLength) == "1000")
        #expect(replies.allSatisfy { $0.body.isEmpty && $0.head.status == 200 })
    }

    @Test("trailers follow the last chunk")
    func trailers() async throws {
        let reply = try #require(try await replies(to: Self.get("/trailers")).first)
        #expect(reply.trailers?.value(named: "x-lab-lines") == "10")
        #expect(reply.trailers?.value(named: "x-lab-end") == "reached")
    }

    @Test("an echo contains request line, fields, trailers and body")
    func echo() async throws {
        let head = "POST /echo?x=1 HTTP/1.1\r\nHost: cleartext.lab.test\r\nX-Mark: 7\r\nTransfer-Encoding: chunked\r\n"
        let body = "Connection: close\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-After: yes\r\n\r\n"
        let reply = try #require(try await replies(to: head + body).first)
        #expect(reply.text.hasPrefix("POST /echo?x=1 HTTP/1.1\nHost: cleartext.lab.test\nX-Mark: 7\n"))
        #expect(reply.text.hasSuffix("\nX-After: yes\n\nabcde"))
        #expect(reply.head.fields.value(named: "X-Lab-Body-Bytes") == "5")
    }

    @Test("an upload is counted, and 100 Continue is sent if expected", arguments: [false, true])
    func upload(overTLS: Bool) async throws {
        let count = 3_000_000
        let fields = "Expect: 100-continue\r\nContent-Length: \(count)\r\nConnection: close\r\n"
        let replies = try await replies(
            to: Self.get("/upload", fields, method: "PUT"), body: [UInt8](repeating: 7, count: count), overTLS: overTLS)
        #expect(replies.map(\.head.status) == [100, 200])
        #expect(replies.last?.text == "\(count)\n")
    }

    @Test(
        "a status route returns its status, without a body if it cannot have one",
        arguments: [200, 204, 205, 304, 418, 503])
    func status(status: Int) async throws {
        let reply = try #require(try await replies(to: Self.get("/status/\(status)")).first)
        #expect(reply.head.status == status)
        #expect(reply.body.isEmpty == [204, 205, 304].contains(status))
    }

    @Test("a redirect goes to the given URL, but never with a line break in it")
    func redirect() async throws {
        let replies = try await replies(
            to: Self.get("/redirect?to=http%3A%2F%2Fcleartext.lab.test%2Fa%3Fb%3D1", "")
                + Self.get("/redirect?to=x%0D%0AEvil%3A1"))
        #expect(replies[0].head.status == 302)
        #expect(replies[0].head.fields.value(of: .location) == "http://cleartext.lab.test/a?b=1")
        #expect(replies[1].head.status == 400)
        #expect(replies[1].head.fields.value(named: "Evil") == nil)
    }

    @Test(
        "invalid requests of a route are refused",
        arguments: [
            ("/bytes/10737418241", 400), ("/bytes/-1", 400), ("/status/99", 400), ("/slow?ms=10001", 400),
            ("/slow", 400), ("/redirect", 400), ("/nothing", 404), ("/bytes", 404),
        ])
    func refusals(path: String, status: Int) async throws {
        #expect(try await replies(to: Self.get(path)).first?.head.status == status)
    }

    @Test("a malformed request gets its status, and the connection ends")
    func malformed() async throws {
        let replies = try await replies(to: "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n" + Self.get("/"))
        #expect(replies.map(\.head.status) == [400])
        #expect(replies.first?.head.isPersistent == false)
    }

    @Test("an HTTP/1.0 client gets no chunks")
    func oldClient() async throws {
        let reply = try #require(try await replies(to: "GET /trailers HTTP/1.0\r\n\r\n").first)
        #expect(reply.head.framing == .untilClose)
        #expect(reply.text.hasPrefix("line 1\n"))
    }
}
