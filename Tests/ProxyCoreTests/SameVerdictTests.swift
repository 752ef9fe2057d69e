import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("an origin gets the same verdict on every link")
struct SameVerdictTests {
    private static let get = "GET /x HTTP/1.1\r\nHost: good.test\r\n\r\n"

    private func rules(_ book: Playbook) -> [String] {
        book.records.map { "\($0.verdict) \($0.diagnosis?.findings.first?.rule.rawValue ?? "-")" }
    }

    @Test("RSA key exchange gets the same verdict on the first link, on a later one, and under HTTP/2")
    func staticRSA() throws {
        let weak = try ServerTLSSettings.staticRSA("good.test")
        let first = try Playbook(.strict)
        try first.tunnel(to: "good.test", serving: weak)
        first.serve(try first.connected(), as: try OriginPeer(weak))
        first.end(records: 1)

        let later = try Playbook(.strict)
        try later.tunnel(to: "good.test")
        later.originEnded()
        later.appSends(Self.get)
        later.serve(try later.connected(), as: try OriginPeer(weak))
        later.serve(try later.connected(), as: try OriginPeer(weak))
        later.end(records: 1)

        let streams = try StreamBook()
        streams.book.originEnded()
        let asked = try streams.ask(.plain("/1"))
        for _ in 0..<2 {
            streams.book.serve(try streams.book.connected(), as: try OriginPeer(weak))
            streams.carry()
        }
        #expect(asked.status == 403)
        streams.book.end(records: 1)

        for book in [first, later, streams.book] { #expect(rules(book) == ["blocked ats.forward-secrecy"]) }
    }

    @Test("audit mode allows each link to a weak origin after a handshake with every suite")
    func audited() throws {
        let weak = try ServerTLSSettings.staticRSA("good.test")
        let book = try Playbook(.strict) { $0.mode = .audit }
        try book.tunnel(to: "good.test")
        book.originEnded()
        book.appSends(Self.get)
        book.serve(try book.connected(), as: try OriginPeer(weak))
        book.serve(try book.connected(), as: try OriginPeer(weak))
        book.peerSends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        #expect(rules(book) == ["wouldBlock ats.forward-secrecy"])
        book.end(records: 1)
    }

    @Test(
        "an origin without TLS gets the same finding on a later link",
        arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", ""])
    func notTLS(words: String) throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "good.test")
        book.originEnded()
        book.appSends(Self.get)
        try book.connected()
        if words.isEmpty { book.pass(.handshake) } else { book.origin(words) }
        book.carry()
        #expect(rules(book) == ["failed " + (words.isEmpty ? "tls.timeout" : "tls.not-tls")])
        #expect(book.app?.reads().hasPrefix("HTTP/1.1 50") == true)
        book.end(records: 1)
    }
}
