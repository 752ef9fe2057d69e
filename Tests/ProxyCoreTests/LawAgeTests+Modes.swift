import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

// Passthrough hosts and audit mode.
extension LawAgeTests {
    // MARK: Passthrough hosts

    @Test("a passthrough host is judged by the rules in force when its handshake ends", arguments: [0, 1])
    func passthrough(reloadAt step: Int) throws {
        let book = try Playbook(World.law(.strict) { $0.passthrough = ["good.test"] })
        try book.openTunnel("good.test")
        if step == 0 { try reload(book, Self.pinning, passthrough: ["good.test"]) }
        try book.appStarts("good.test")
        if step == 1 { try reload(book, Self.pinning, passthrough: ["good.test"]) }
        try serve(book, .sound("good.test"))
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.blocked])

        let next = try Playbook(book.loop.policy, loop: book.loop)
        try next.openTunnel("good.test")
        try next.appStarts("good.test")
        try serve(next, .sound("good.test"))
        next.end(records: 1)
        #expect(next.records.map(\.verdict) == [.blocked])
    }

    @Test("a verdict remembered for one loader does not apply to another")
    func passthroughForAnotherLoader() throws {
        let loop = try World.loop(World.law(Self.freeWeb) { $0.passthrough = ["weak.test"] })
        var verdicts: [Verdict] = []
        for agent in [Self.web, Self.app] {
            let book = try Playbook(loop.policy, loop: loop)
            book.client("CONNECT weak.test:443 HTTP/1.1\r\nHost: weak.test:443\r\nUser-Agent: \(agent)\r\n\r\n")
            try book.connected()
            try book.appStarts("weak.test")
            try serve(book, .staticRSA("weak.test"))
            book.end(records: 1)
            verdicts += book.records.map(\.verdict)
        }
        #expect(verdicts == [.allowed, .blocked])
    }

    @Test("a passthrough host is judged again if the rules change before its origin answers the client")
    func answerAfterReload() throws {
        let book = try Playbook(World.law(.strict) { $0.passthrough = ["good.test"] })
        let link = try book.openTunnel("good.test")
        try book.appStarts("good.test")
        book.serve(try book.connected(), as: try OriginPeer(.sound("good.test")))
        try reload(book, Self.pinning, passthrough: ["good.test"])
        book.serve(link, as: try OriginPeer(.sound("good.test")))
        book.end(records: 1)
        #expect(book.records.map(\.verdict) == [.blocked])
        #expect(rule(book.records.first) == "ats.pinned-identity")
    }

    // MARK: Audit mode

    @Test("a load that audit mode allowed is blocked once the same rules are enforced, on a link in use as well")
    func enforcedAfterAudit() throws {
        let book = try Playbook(World.law(.strict) { $0.mode = .audit })
        book.client("CONNECT weak.test:443 HTTP/1.1\r\nHost: weak.test:443\r\n\r\n")
        try book.connected()
        book.serve(book.links[0], as: try OriginPeer(.staticRSA("weak.test")))
        try book.appStarts("weak.test")
        try serve(book, .staticRSA("weak.test"))
        for law in [PropertyValue.strict, .strict] {
            book.appSends(Self.get(Self.app))
            try serve(book, .staticRSA("weak.test"))
            for link in book.links { book.peerSends(TunnelTests.ok, on: link) }
            try reload(book, law)
        }
        book.end(records: 2)
        #expect(book.records.map(\.verdict) == [.wouldBlock, .blocked])
    }

    @Test("in audit mode only the loads that the rules deny are recorded as would-block")
    func auditOfTwoLoaders() throws {
        let book = try Playbook(World.law(Self.freeWeb) { $0.mode = .audit })
        book.client("CONNECT weak.test:443 HTTP/1.1\r\nHost: weak.test:443\r\nUser-Agent: \(Self.app)\r\n\r\n")
        try book.connected()
        book.serve(book.links[0], as: try OriginPeer(.staticRSA("weak.test")))
        try book.appStarts("weak.test")
        try serve(book, .staticRSA("weak.test"))
        for agent in [Self.app, Self.web, Self.app] {
            book.appSends(Self.get(agent))
            try serve(book, .staticRSA("weak.test"))
            for link in book.links { book.peerSends(TunnelTests.ok, on: link) }
        }
        book.end(records: 3)
        #expect(book.records.map(\.verdict) == [.wouldBlock, .allowed, .wouldBlock])
    }
}
