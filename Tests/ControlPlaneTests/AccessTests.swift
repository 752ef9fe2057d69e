import ControlPlane
import Foundation
import HTTPWire
import Testing

/// Requests that the page accepts and refuses.
@Suite(.timeLimit(.minutes(2)))
struct AccessTests {
    private let changing = WebRoute(.post, "/test/change", .changing) { _ in WebAnswer(nil, []) }
    private let open = WebRoute(.get, "/test/open", .anyone) { _ in WebAnswer(nil, []) }

    @Test("without the token only health is available, and other paths cannot be discovered")
    func noToken() async throws {
        let rig = try PageRig(more: [changing, open])
        #expect(try await rig.ask("/api/v1/health").status == 200)
        #expect(try await rig.ask("/test/open").status == 200)
        for path in ["/", "/api/v1/events", "/api/v1/records", "/nothing", "/app.js", "/api/v1/metrics"] {
            #expect(try await rig.ask(path).status == 401, "\(path)")
            #expect(try await rig.ask(path, ["Authorization: Bearer \(AccessToken().text)"]).status == 401)
            #expect(try await rig.ask(path, ["Cookie: atsgate-\(rig.port)=\(AccessToken().text)"]).status == 401)
        }
        #expect(try await rig.ask("POST /test/change").status == 401)
        #expect(try await rig.ask("/?token=wrong").status == 401)
        #expect(try await rig.ask("/?token=").status == 401)
    }

    @Test("a browser without the token gets a page that explains where it is, a script gets JSON")
    func browserWithoutToken() async throws {
        let rig = try PageRig()
        for path in ["/", "/?token=wrong&search=x", "/nothing"] {
            let page = try await rig.ask(path, ["Accept: text/html,application/xhtml+xml,*/*;q=0.8"])
            #expect(page.status == 401 && page.contains("Content-Type: text/html; charset=utf-8\r\n"), "\(path)")
            #expect(page.body.contains("needs a token") && !page.body.contains("SENTENCE"))
            #expect(page.contains("Content-Security-Policy: default-src 'none'"))
            let data = try await rig.ask(path, ["Accept: */*"])
            #expect(data.status == 401 && data.contains("Content-Type: application/json\r\n"))
        }
        #expect(try await rig.ask("/no-token.css").status == 200)
    }

    @Test("the rest of the address is kept when the token is removed from it")
    func restOfAddress() async throws {
        let rig = try PageRig()
        let asked = "/?search=%2A.example.com+404&token=\(rig.token.text)&verdict=blocked"
        #expect(try await rig.ask(asked).contains("Location: /?search=%2A.example.com+404&verdict=blocked\r\n"))
    }

    @Test("the token in the address becomes a cookie that scripts cannot read and other sites cannot send")
    func start() async throws {
        let rig = try PageRig()
        let answer = try await rig.ask("/?token=\(rig.token.text)", ["Sec-Fetch-Site: cross-site"])
        #expect(answer.status == 303)
        #expect(answer.contains("Location: /\r\n"))
        let cookie = "Set-Cookie: atsgate-\(rig.port)=\(rig.token.text); Path=/; HttpOnly; SameSite=Strict\r\n"
        #expect(answer.contains(cookie))
        #expect(try await rig.ask("/", [rig.cookie]).status == 200)
        #expect(try await rig.script("/").status == 200)
    }

    @Test("a foreign host name is refused with and without the token, which prevents DNS rebinding")
    func rebinding() async throws {
        let rig = try PageRig(more: [open])
        for host in [
            "evil.example", "evil.example:\(rig.port)", "127.0.0.1.evil.example", "localhost.evil.example", "",
        ] {
            #expect([400, 421].contains(try await rig.ask("/", host: host, [rig.cookie]).status), "\(host)")
            #expect([400, 421].contains(try await rig.ask("/test/open", host: host).status), "\(host)")
            #expect([400, 421].contains(try await rig.ask("/?token=\(rig.token.text)", host: host).status), "\(host)")
        }
        for host in ["localhost:1", "127.0.0.1", "[::1]:\(rig.port)", "192.168.1.20:\(rig.port)"] {
            #expect(try await rig.ask("/", host: host, [rig.cookie]).status == 200, "\(host)")
        }
        // A name of the gate reaches only paths that need no token.
        #expect(try await rig.ask("/test/open", host: "atsgate.test").status == 200)
        #expect(try await rig.ask("/", host: "atsgate.test", [rig.cookie]).status == 421)
    }

    @Test("other origins are refused with and without the cookie, and get no CORS permission")
    func foreignOrigin() async throws {
        let rig = try PageRig(more: [changing])
        for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:\(rig.port)"] {
            let answer = try await rig.ask("/api/v1/state", ["Origin: \(origin)", rig.cookie])
            #expect(answer.status == 403, "\(origin)")
            #expect(!answer.lowercased().contains("access-control"))
            #expect(try await rig.ask("POST /test/change", ["Origin: \(origin)", rig.cookie]).status == 403)
        }
        #expect(try await rig.ask("/", ["Sec-Fetch-Site: cross-site", rig.cookie]).status == 403)
        #expect(try await rig.ask("/", ["Sec-Fetch-Site: same-site", rig.cookie]).status == 403)
        #expect(try await rig.ask("OPTIONS /test/change", [rig.origin, rig.cookie]).status == 405)
    }

    @Test("a form of another site changes nothing, because a change needs the page's Origin next to the cookie")
    func forgery() async throws {
        let rig = try PageRig(more: [changing])
        #expect(try await rig.ask("POST /test/change", [rig.cookie]).status == 403)
        #expect(try await rig.ask("POST /test/change", [rig.cookie, rig.origin]).status == 200)
        #expect(try await rig.script("POST /test/change").status == 200)
    }

    @Test("every response forbids foreign loads, inline scripts and caching")
    func securityHeaders() async throws {
        let rig = try PageRig()
        for answer in [
            try await rig.ask("/"), try await rig.script("/"), try await rig.ask("/api/v1/health"),
            try await rig.script("/no"),
        ] {
            #expect(answer.contains("Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'"))
            #expect(answer.contains("frame-ancestors 'none'"))
            #expect(answer.contains("X-Content-Type-Options: nosniff"))
            #expect(answer.contains("Referrer-Policy: no-referrer"))
            #expect(answer.contains("Cache-Control: no-store"))
            #expect(!answer.contains("unsafe-inline"))
        }
    }

    @Test("a forwarded address in a request is ignored")
    func forwarded() async throws {
        let rig = try PageRig(more: [changing])
        let answer = try await rig.ask(
            "POST /test/change", ["Authorization: Bearer \(rig.token.text)", "X-Forwarded-For: 10.0.0.9"])
        #expect(answer.status == 200)
    }

    @Test("other machines can read, and change things only if that was allowed", arguments: [false, true])
    func otherMachines(mayChange: Bool) throws {
        let rules = AccessRules(port: 9803, allowsChangesFromOthers: mayChange)
        let look = WebRoute(.get, "/test/look", .reading) { _ in WebAnswer(nil, []) }
        let router = WebRouter(rules, [look, changing])
        func status(_ method: HTTPWire.Method, _ path: String, from address: String) throws -> Int? {
            var head = RequestHead(method: method, target: .path(path))
            head.fields.append(.host, "192.168.1.20:9803")
            head.fields.append(.authorization, "Bearer \(rules.token.text)")
            let request = try #require(WebRequest(head, from: "\(address):50000"))
            return router.refusal(of: request)?.status
        }
        #expect(try status(.get, "/test/look", from: "192.168.1.30") == nil)
        #expect(try status(.post, "/test/change", from: "192.168.1.30") == (mayChange ? nil : 403))
        #expect(try status(.post, "/test/change", from: "127.0.0.1") == nil)
    }
}
