import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("the error that the app is shown, if a device alone would report another one")
struct ShownErrorTests {
    @Test(
        "static RSA: the device reports a handshake error, the app gets the error of the refusal style",
        arguments: [RefusalStyle.untrustedLeaf, .alert, .close])
    func suites(style: RefusalStyle) throws {
        let book = try Playbook(.strict) { $0.refusal = style }
        let settings = try ServerTLSSettings.staticRSA("bad.test")
        try book.tunnel(to: "bad.test", serving: settings)
        book.serve(try book.connected(), as: try OriginPeer(settings))
        let record = try #require(book.records.first)
        #expect(record.diagnosis?.apple?.streamErrorCode == -9858)
        switch style {
        case .untrustedLeaf, .mirror:
            #expect(record.shown == ShownError(style: .untrustedLeaf, code: -1200, streamErrorCode: -9802))
            #expect(book.app?.leaf?.issuer == "CN=atsgate refused: ats.forward-secrecy")
        case .alert: #expect(record.shown == nil)
        case .close: #expect(record.shown == ShownError(style: .close, code: -1200, streamErrorCode: -9816))
        }
        book.end(records: 1)
    }

    @Test("an untrusted certificate has the same error in the app as on a device")
    func trust() throws {
        let book = try Playbook(.strict)
        try book.tunnel(to: "bad.test", serving: .untrusted("bad.test"))
        #expect(book.records.map(\.shown) == [nil])
        book.end(records: 1)
    }

    @Test("cleartext: the device reports -1022, the app gets a page")
    func cleartext() throws {
        let book = try Playbook(.strict)
        book.client("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
        let record = try #require(book.records.first)
        #expect(record.diagnosis?.apple?.code == -1022)
        #expect(record.shown == ShownError(style: .page))
        book.end(records: 1)
    }

    @Test("an unknown name: the device reports -1003, the app a failed proxy")
    func noTunnel() throws {
        let book = try Playbook(.strict)
        book.client("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n")
        try book.dialFailed(.name(code: -2))
        let record = try #require(book.records.first)
        #expect(record.diagnosis?.apple?.code == -1003)
        #expect(record.shown == ShownError(style: .noTunnel, code: 310, streamErrorCode: -2096))
        book.end(records: 1)
    }

    @Test(
        "loads that are allowed, or allowed by audit mode, have no shown error",
        arguments: [EnforcementMode.enforce, .audit])
    func passed(mode: EnforcementMode) throws {
        let book = try Playbook(.strict) { $0.mode = mode }
        try book.tunnel(to: "bad.test", serving: mode == .audit ? .untrusted("bad.test") : .sound("bad.test"))
        book.appSends("GET / HTTP/1.1\r\nHost: bad.test\r\n\r\n")
        book.peerSends(TunnelTests.ok)
        #expect(book.records.map(\.shown) == [nil])
        book.clientEnded()
        book.end(records: 1)
    }

    @Test("all refusal leaves share one key, and a host's leaf is made once per rule")
    func keptLeaves() throws {
        let first = try leaf(of: "bad.test", serving: .untrusted("bad.test"))
        #expect(try leaf(of: "bad.test", serving: .untrusted("bad.test")) == first)
    }

    private let loop = Result { try World.loop(World.law(.strict)) }

    private func leaf(of host: String, serving settings: ServerTLSSettings) throws -> String? {
        let book = try Playbook(loop.get().policy, loop: loop.get())
        try book.tunnel(to: host, serving: settings)
        book.end(records: 1)
        return book.app?.leaf?.spkiSHA256
    }
}
