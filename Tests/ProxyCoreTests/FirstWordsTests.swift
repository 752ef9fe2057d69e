import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("the first bytes in a tunnel")
struct FirstWordsTests {
    private func hello(_ name: String) throws -> [UInt8] {
        try AppPeer.hello(name)
    }

    @Test(
        "bytes that begin like a request are judged as one, however late and in however many pieces",
        arguments: [
            ["PROPFIND / HTTP/1.1\r\nHost: a.test\r\n\r\n"], ["REPORT /x HTTP/1.1\r\nHost: a.test\r\n\r\n"],
            ["QUERY / HTTP/1.1\r\nHost: a.test\r\n\r\n"], ["get / HTTP/1.1\r\nHost: a.test\r\n\r\n"],
            ["\r\nGET / HTTP/1.1\r\nHost: a.test\r\n\r\n"], ["GE", "T / HTTP/1.1\r\nHost: a.test\r\n\r\n"],
        ])
    func requests(pieces: [String]) throws {
        let book = try Playbook(.strict)
        let link = try book.openTunnel("a.test")
        for piece in pieces {
            #expect(book.originReads(on: link).isEmpty)
            book.client(piece)
        }
        #expect(book.originReads(on: link).isEmpty)
        #expect(book.records.map(\.verdict) == [.blocked])
        #expect(book.records.first?.diagnosis?.findings.first?.rule == .cleartextLoad)
        book.end(records: 1)
    }

    @Test("a ClientHello after server bytes is judged, not relayed")
    func lateHello() throws {
        let book = try Playbook(.strict)
        let link = try book.openTunnel("bad.test")
        book.origin("220 hi\r\n", on: link)
        #expect(book.clientReads().hasSuffix("220 hi\r\n"))
        try book.appStarts("bad.test")
        book.expect("connect https://bad.test reuse", "close #1", "connect https://bad.test new")
        book.serve(try book.connected(), as: try OriginPeer(.untrusted("bad.test")))
        #expect(book.originReads(on: link).isEmpty)
        #expect(book.records.map(\.words) == ["blocked - sent=0 received=8 untrusted-leaf trust.untrusted-root"])
        book.end(records: 1)
    }

    @Test("a silent client times out, and no byte is relayed")
    func silence() throws {
        let book = try Playbook(.strict)
        let link = try book.openTunnel("a.test")
        #expect(book.armed == .idle)
        book.pass(.idle)
        #expect(book.records.map(\.words) == ["failed - sent=0 received=0 client.gone"])
        #expect(book.originReads(on: link).isEmpty)
        book.end(records: 1)
    }

    @Test("an undecided prefix times out and is not relayed")
    func undecided() throws {
        let book = try Playbook(.strict)
        let link = try book.openTunnel("a.test")
        book.client("GE")
        #expect(book.armed == .head)
        book.pass(.head)
        #expect(book.originReads(on: link).isEmpty)
        #expect(book.records.map(\.words) == ["failed - sent=0 received=0 client.gone"])
        book.end(records: 1)
    }

    @Test("other traffic is relayed with its protocol in the record, or refused", arguments: OtherTraffic.allCases)
    func otherTraffic(option: OtherTraffic) throws {
        let book = try Playbook(.strict) { $0.otherTraffic = option }
        let link = try book.openTunnel("a.test")
        book.client("SSH-2.0-x\r\n")
        let wire = book.originReads(on: link)
        if !book.session.isClosed { book.clientLost() }
        let words =
            option == .relay
            ? "outside - sent=11 received=0 client.other-traffic"
            : "blocked - sent=0 received=0 close client.other-traffic"
        #expect(wire == (option == .relay ? "SSH-2.0-x\r\n" : ""))
        #expect(book.records.map(\.words) == [words])
        #expect(book.records.first?.diagnosis?.findings.first?.observed.contains("SSH") == true)
        book.end(records: 1)
    }

    @Test("bytes that an origin sends before its handshake are not read as part of it")
    func framesBeforeHandshake() throws {
        let book = try Playbook(.strict)
        let link = try book.openTunnel("good.test")
        // The SETTINGS frame of an HTTP/2 server, in the clear.
        book.origin([0, 0, 0, 4, 0, 0, 0, 0, 0], on: link)
        try book.appStarts("good.test", alpn: ["h2"])
        book.expect("connect https://good.test reuse", "close #1", "connect https://good.test new")
        book.serve(try book.connected(), as: try OriginPeer(.sound("good.test", alpn: ["h2"])))
        #expect(book.app?.machine.state == .established)
        book.end(records: 1)
    }

    @Test("a hello with an invalid host name is refused as malformed", arguments: ["a/b?c#d", "*.com", "a..b"])
    func malformedName(name: String) throws {
        let book = try Playbook(.strict)
        try book.openTunnel("a.test")
        book.client(try hello(name))
        #expect(book.records.map(\.words) == ["failed - sent=0 received=0 http.malformed"])
        book.end(records: 1)
    }
}
