import ATSPolicy
import ProxyCore
import Records
import Testing

@Suite("the release and dictionary that a client is judged by")
struct ClientSystemTests {
    private static func ask(_ agent: String?, host: String = "a.test") -> String {
        "GET http://\(host)/ HTTP/1.1\r\nHost: \(host)\r\n" + (agent.map { "User-Agent: \($0)\r\n" } ?? "") + "\r\n"
    }

    /// CFNetwork and Darwin of iOS 9.3. Source: matomo-org/device-detector, ua-parser/uap-core;
    /// docs/law/profiles.md#darwin.
    private static let old = "Demo/1 CFNetwork/758.3.15 Darwin/15.4.0"
    private static let new = "Demo/1 CFNetwork/1494.0.7 Darwin/23.4.0"

    @Test("the User-Agent determines the release; the record shows it, the evidence and the doubts")
    func byAgent() throws {
        let book = try Playbook(.strict) { $0.system = .guessed(usual: nil) }
        for agent in [Self.new, Self.old, "curl/8"] { book.client(Self.ask(agent)) }
        #expect(book.records.map(\.client.os) == ["ios17.4", "ios9.3", "ios26"])
        #expect(book.records.map(\.policy.os) == book.records.map(\.client.os))
        #expect(book.records.map(\.client.osEvidence) == ["Darwin 23.4", "Darwin 15.4", nil])
        #expect(book.records.first?.client.osNotes.contains { $0.contains("simulator") } == true)
        #expect(book.clientReads().contains("<dt>Uncertain because</dt><dd>It may also be a simulator"))
        book.end(records: 3)
    }

    @Test("the client's release changes the ruling: iOS 9 has no exemption for local hosts")
    func decides() throws {
        let book = try Playbook(.strict) { $0.system = .guessed(usual: nil) }
        book.client(Self.ask(Self.old, host: "printer"))
        book.expect("record blocked 403 sent=0 received=0 page ats.cleartext-load")
        book.client(Self.ask(Self.new, host: "printer"))
        book.expect("connect http://printer reuse")
        book.end(records: 2)
    }

    @Test("a User-Agent without a release falls back to the dictionary's guess")
    func byDeclaration() throws {
        let guess = OSProfile.guess(userAgent: Self.new)
        let book = try Playbook(.strict) { $0.system = .guessed(usual: guess) }
        book.client(Self.ask(nil))
        #expect(book.records.first?.client.os == "ios26")
        #expect(book.records.first?.client.osEvidence == "Darwin 23.4")
        book.end(records: 1)
    }

    @Test("a fixed release applies to every client")
    func named() throws {
        let book = try Playbook(.strict)
        book.client(Self.ask(Self.old))
        #expect(book.records.first?.client.os == "ios26")
        #expect(book.records.first?.client.osEvidence == nil)
        book.end(records: 1)
    }

    @Test("a link that was judged for one release is judged again for another")
    func linksAreApart() throws {
        let law = try World.law(.strict) { $0.system = .guessed(usual: nil) }
        let first = try Playbook(law)
        let link = try first.tunnel(to: "good.test")
        first.appSends("GET /x HTTP/1.1\r\nHost: good.test\r\n\r\n")
        first.peerSends(TunnelTests.ok)
        first.clientEnded()
        let book = try Playbook(law, loop: first.loop)
        book.client("CONNECT good.test:443 HTTP/1.1\r\nHost: good.test:443\r\nUser-Agent: \(Self.new)\r\n\r\n")
        try book.connected(link)
        try book.appStarts("good.test")
        book.expect(
            "connect https://good.test reuse", "close #idle", "connect https://good.test new")
        book.end(records: 1)
    }

    @Test("two listeners with different dictionaries rule differently on the same target")
    func listenersLaws() throws {
        let open = ListenerPolicy(policyPath: "Open.plist")
        let judge = try World.law(.openWorld).judge
        let law = try World.law(.strict) { $0.laws = [open: JudgedSystem(judge: judge)] }
        let loop = try World.loop(law)
        // Alternates, so that a cached ruling of one dictionary must not serve the other.
        for round in 0..<2 {
            let strict = try Playbook(law, loop: loop)
            strict.client(Self.ask(nil))
            strict.expect("record blocked 403 sent=0 received=0 page ats.cleartext-load")
            strict.end(records: 1)
            let other = try Playbook(
                law, loop: loop, from: ClientSource(address: "127.0.0.1:\(5001 + round)", law: open))
            other.client(Self.ask(nil))
            other.expect("connect http://a.test reuse")
            other.end(records: 1)
        }
    }

    @Test("a reload that changes only the mode shows in the records of open connections")
    func otherMode() throws {
        let book = try Playbook(.strict)
        book.client(Self.ask(nil))
        book.loop.policy = try World.law(.strict) { $0.mode = .audit }
        book.client(Self.ask(nil))
        try book.connected()
        book.clientEnded()
        book.clientLost()
        #expect(book.records.map(\.policy.mode) == ["enforce", "audit"])
    }

    @Test("a listener's configured loader overrides the User-Agent")
    func listenersLoader() throws {
        let law = try World.law(["NSAllowsArbitraryLoadsForMedia": true])
        let place = ClientSource(address: "127.0.0.1:5000", label: "tv", assumedLoader: .media)
        let tv = try Playbook(law, from: place)
        tv.client(Self.ask("Demo/1"))
        tv.expect("connect http://a.test reuse")
        tv.end(records: 1)
        #expect(tv.records.first?.client.loader == .media)
        #expect(tv.records.first?.client.label == "tv")
        let other = try Playbook(law)
        other.client(Self.ask("Demo/1"))
        other.expect("record blocked 403 sent=0 received=0 page ats.cleartext-load")
        other.end(records: 1)
    }
}
