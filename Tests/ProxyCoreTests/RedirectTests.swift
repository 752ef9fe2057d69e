import ProxyCore
import Records
import Testing

@Suite("each hop of a redirect is judged alone and names the previous one")
struct RedirectTests {
    private static func get(_ path: String) -> String { "GET http://a.test\(path) HTTP/1.1\r\nHost: a.test\r\n\r\n" }

    private static func redirect(_ location: String) -> String {
        "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
    }

    @Test(
        "the next load names its parent, however the Location is written",
        arguments: [
            "http://a.test/x/new?q=1", "http://A.test:80/x/new?q=1#part", "//a.test/x/new?q=1", "/x/new?q=1",
            "http://me@a.test:/x/new?q=1", "new?q=1", "./new?q=1", "../x/y/../new?q=1",
        ])
    func spellings(location: String) throws {
        let book = try Playbook()
        book.client(Self.get("/x/old?token=1"))
        try book.connected()
        book.origin(Self.redirect(location))
        book.client(Self.get("/other"))
        book.origin("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        book.client(Self.get("/x/new?q=1"))
        book.origin("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(book.records.map(\.load.redirectedFrom) == [nil, nil, "http://a.test/x/old?token=1"])
        book.end(records: 3)
    }

    @Test("a redirect is matched once, and not after ten seconds")
    func steps() throws {
        let book = try Playbook()
        book.client(Self.get("/old"))
        try book.connected()
        for wait in [Int64(0), 11_000_000] {
            book.origin(Self.redirect("/new"))
            book.moment.ticks += wait
            for _ in 0..<2 {
                book.client(Self.get("/new"))
                book.origin("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
            book.client(Self.get("/old"))
        }
        book.origin(Self.redirect("/new"))
        #expect(
            book.records.map(\.load.redirectedFrom) == [nil, "http://a.test/old", nil, nil, nil, nil, nil])
        book.end(records: 7)
    }

    @Test("a blocked hop names its parent, too: one to http, and one into a tunnel that fails")
    func refusedHops() throws {
        let law = try World.law(.strict)
        let first = try Playbook(law)
        let link = try first.tunnel(to: "good.test")
        first.appSends("GET /x HTTP/1.1\r\nHost: good.test\r\n\r\n")
        first.peerSends(Self.redirect("http://a.test/"), on: link)
        first.appSends("GET /y HTTP/1.1\r\nHost: good.test\r\n\r\n")
        first.peerSends(Self.redirect("https://bad.test/deep"), on: link)
        first.end(records: 2)
        let second = try Playbook(law, loop: first.loop)
        second.client(Self.get("/"))
        second.end(records: 1)
        #expect(second.records.first?.verdict == .blocked)
        #expect(second.records.first?.load.redirectedFrom == "https://good.test/x")
        let third = try Playbook(law, loop: first.loop)
        try third.tunnel(to: "bad.test", serving: .untrusted("bad.test"))
        #expect(third.records.first?.load.redirectedFrom == "https://good.test/y")
        third.end(records: 1)
    }

    @Test("a load of another client is not matched as a hop")
    func otherClients() throws {
        let first = try Playbook()
        first.client(Self.get("/old"))
        try first.connected()
        first.origin(Self.redirect("/new"))
        first.end(records: 1)
        let second = try Playbook(
            first.loop.policy, loop: first.loop, from: ClientSource(address: "192.0.2.9:5000"))
        second.client(Self.get("/new"))
        try second.connected()
        second.origin("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(second.records.first?.load.redirectedFrom == nil)
        second.end(records: 1)
    }

    @Test(
        "a Location that is not a usable URL is not a redirect",
        arguments: [
            "", "ftp://a.test/", "mailto:a@b", "http://", "http://a.test:0/", "http://a.test:x/", "http:/new",
            "http://a.test:99999/", "http://[a.test]/", "http://a b/", "http://a..test/",
        ])
    func nowhere(location: String) throws {
        let book = try Playbook()
        book.client(Self.get("/old"))
        try book.connected()
        book.origin(Self.redirect(location))
        book.client(Self.get("/"))
        book.origin("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(book.records.last?.load.redirectedFrom == nil)
        book.end(records: 2)
    }
}
