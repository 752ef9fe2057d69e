import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing
import Text

@Suite("the app's own trust decisions")
struct AppTrustTests {
    private static let lax: PropertyValue = ["NSAllowsArbitraryLoads": true]

    @Test("a load passes if the app accepts a certificate that the system rejects, and the record shows the override")
    func override() throws {
        let book = try Playbook(Self.lax) { $0.appTrust = AppTrust(override: .hosts(HostPatterns(["*.test"]))) }
        let link = try book.tunnel(to: "bad.test", serving: .untrusted("bad.test"))
        book.appSends("GET / HTTP/1.1\r\nHost: bad.test\r\n\r\n")
        book.peerSends(TunnelTests.ok)
        book.expect(
            "connect https://bad.test reuse", "record allowed 200 sent=0 received=2 app.trust-override")
        #expect(book.records.first?.diagnosis?.findings.map(\.rule) == [.appTrustOverride, .untrustedRoot])
        #expect(book.records.first?.diagnosis?.apple == nil)
        book.clientEnded()
        let next = try Playbook(book.loop.policy, loop: book.loop)
        try next.openTunnel("bad.test", over: link)
        try next.appStarts("bad.test")
        next.end(records: 1)
        #expect(next.records.last?.diagnosis?.findings.first?.rule == .appTrustOverride, "the link keeps the override")
    }

    @Test("under a strict dictionary the app cannot override the verdict on a certificate")
    func strict() throws {
        let book = try Playbook(.strict) { $0.appTrust = AppTrust(override: .everywhere) }
        try book.tunnel(to: "bad.test", serving: .untrusted("bad.test"))
        book.end(records: 1)
        #expect(
            book.records.map(\.words) == ["blocked - sent=0 received=0 untrusted-leaf trust.untrusted-root"])
    }

    @Test("the app's override also applies to a passthrough host, and is remembered")
    func passthrough() throws {
        let law = try World.law(Self.lax) {
            $0.appTrust = AppTrust(override: .everywhere)
            $0.passthrough = ["bad.test"]
        }
        let first = try Playbook(law)
        try first.openTunnel("bad.test")
        try first.appStarts("bad.test")
        first.serve(try first.connected(), as: try OriginPeer(.untrusted("bad.test")))
        first.end(records: 1)
        #expect(first.records.map(\.verdict) == [.allowed])
        #expect(first.records.first?.diagnosis?.findings.first?.rule == .appTrustOverride)
        let second = try Playbook(law, loop: first.loop)
        try second.openTunnel("bad.test")
        try second.appStarts("bad.test")
        second.end(records: 1)
        #expect(second.records.map(\.verdict) == [.allowed])
        #expect(second.records.first?.diagnosis?.findings.first?.rule == .appTrustOverride)
    }

    @Test(
        "a sound origin is allowed by the app's right pin and blocked by a wrong one",
        arguments: [true, false])
    func pin(isRight: Bool) throws {
        let settings = try ServerTLSSettings.sound("good.test")
        let right = settings.identity.certificate.facts.spkiSHA256
        let other = try World.identity("other.test").certificate.facts.spkiSHA256
        let book = try Playbook(.strict) {
            $0.appTrust = AppTrust(pins: [AppPin(host: "good.test", .publicKey(sha256: isRight ? right : other))])
        }
        try book.tunnel(to: "good.test", serving: settings)
        if isRight {
            #expect(book.app?.leaf?.issuer == "CN=Gate")
            book.end(records: 1)
        } else {
            book.end(records: 1)
            #expect(book.records.map(\.words) == ["blocked - sent=0 received=0 untrusted-leaf app.pin"])
            #expect(book.records.first?.diagnosis?.findings.first?.confidence == .inferred)
            #expect(book.records.first?.diagnosis?.apple?.code == -999)
        }
    }
}
