import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("every end names its owner")
struct BlameTests {
    @Test("a client's handshake that takes too long is the client's doing, and says that it stalled")
    func slowClientHandshake() throws {
        let book = try Playbook(.strict)
        let link = try book.openTunnel("good.test")
        let app = try AppPeer(serverName: "good.test")
        app.machine.start()
        book.client(app.outbox.drained)
        book.serve(link, as: try OriginPeer(.sound("good.test")))
        #expect(book.armed == .handshake)
        book.pass(.handshake)
        let finding = book.records.first?.diagnosis?.findings.first
        #expect(finding?.rule == .clientGone)
        #expect(finding?.title == "Client stopped")
        book.end(records: 1)
    }

    @Test("a client that has ended its side gets its answer for a moment, and is then gone")
    func halfClosed() throws {
        let book = try Playbook()
        book.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        try book.connected()
        book.clientEnded()
        #expect(book.armed == .halfClosed)
        book.pass(.halfClosed)
        book.expect(
            "connect http://a.test main reuse", "record failed - sent=0 received=0 client.gone", "close #1",
            "closeClient")
        book.end(records: 1)
    }

    @Test("a connection that is logged in is not given to others", arguments: ["NTLM", "Negotiate", "negotiate abc"])
    func logins(scheme: String) throws {
        let asked = try Playbook()
        asked.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nAuthorization: \(scheme)\r\n\r\n")
        try asked.connected()
        asked.origin("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        asked.clientEnded()
        asked.expect(
            "connect http://a.test main reuse", "record allowed 200 sent=0 received=2", "close #1", "closeClient")
        asked.end(records: 1)

        let answered = try Playbook()
        answered.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        try answered.connected()
        answered.origin("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic, \(scheme)\r\nContent-Length: 2\r\n\r\nno")
        answered.clientEnded()
        answered.expect(
            "connect http://a.test main reuse", "record allowed 401 sent=0 received=2", "close #1", "closeClient")
        answered.end(records: 1)
    }
}
