import ATSPolicy
import Bytes
import ProxyCore
import Records
import TLSEngine
import Testing

@Suite("TLS sessions with origins are resumed")
struct ResumptionTests {
    private static let get = TunnelTests.get
    private static let ok = TunnelTests.ok
    private static let connect = TunnelTests.connect
    private static let redial = "connect https://good.test main new"

    private let tickets: ClientTLSContext
    private let loop: LoopContext

    init() throws {
        tickets = try ClientTLSContext()
        loop = try World.loop(World.law(.strict))
    }

    private func peer(_ identity: SigningIdentity) throws -> OriginPeer {
        try OriginPeer(sendingTickets: identity, context: tickets)
    }

    /// A tunnel that waits for its origin's handshake.
    private func book(
        at seconds: Int64 = World.now, loop: LoopContext? = nil
    ) throws -> (book: Playbook, link: OriginLink) {
        let known = loop ?? self.loop
        let book = try Playbook(known.policy, loop: known)
        book.moment = Timestamp(wall: seconds * 1_000, ticks: 0)
        let link = try book.openTunnel("good.test")
        try book.appStarts("good.test")
        return (book, link)
    }

    /// A tunnel with one allowed load. Returns its record, and true if the origin's session was resumed.
    @discardableResult
    private func load(
        _ identity: SigningIdentity, loop: LoopContext? = nil
    ) throws -> (isResumed: Bool, record: LoadRecord?) {
        let (book, link) = try book(loop: loop)
        let peer = try peer(identity)
        book.serve(link, as: peer)
        book.appSends(Self.get)
        book.peerSends(Self.ok)
        book.expect(Self.connect, TunnelTests.allowed)
        book.end(records: 1)
        return (peer.machine.isResumed, book.records.first)
    }

    @Test("the next tunnel resumes the session, and its record shows the same chain")
    func namesChain() throws {
        let identity = try World.identity("good.test")
        let first = try load(identity)
        let second = try load(identity)
        #expect(!first.isResumed && second.isResumed)
        #expect(second.record?.origin?.facts?.served.first?.commonName == "good.test")
        #expect(second.record?.origin?.facts == first.record?.origin?.facts)
    }

    @Test("a new policy starts without sessions")
    func newLaw() throws {
        let identity = try World.identity("good.test")
        try load(identity)
        loop.policy = try World.law(.strict)
        #expect(try !load(identity).isResumed)
        #expect(try load(identity).isResumed)
    }

    @Test("loops share no sessions")
    func otherDesk() throws {
        let identity = try World.identity("good.test")
        try load(identity)
        #expect(try !load(identity, loop: try World.loop(loop.policy)).isResumed)
    }

    @Test("an origin that fails on a resumed session is retried without one before it is judged")
    func stumbles() throws {
        let identity = try World.identity("good.test")
        for breaks in [{ $0.origin([21, 3, 3, 0, 2, 2, 47]) }, { $0.originEnded() }] as [(Playbook) -> Void] {
            try load(identity)
            let (book, _) = try book()
            breaks(book)
            book.expect(Self.connect, "close #1", Self.redial)
            let peer = try peer(identity)
            book.serve(try book.connected(), as: peer)
            #expect(!peer.machine.isResumed)
            book.appSends(Self.get)
            book.peerSends(Self.ok)
            book.expect(TunnelTests.allowed)
            book.end(records: 1)
        }
    }

    @Test("a resumed session with an expired certificate causes a full handshake, which decides")
    func renewed() throws {
        let ending = try CertificateRecipe(
            commonName: "good.test", dnsNames: ["good.test"], notBefore: World.now - World.day,
            notAfter: World.now + 60, extendedKeyUsages: [.serverAuth]
        ).issued(by: try World.root.get())
        for (next, verdict) in [
            (try World.identity("good.test"), TunnelTests.allowed),
            (ending, "record blocked - sent=0 received=0 untrusted-leaf trust.expired"),
        ] {
            try load(ending)
            let (book, link) = try book(at: World.now + 61)
            let resumed = try peer(ending)
            book.serve(link, as: resumed)
            #expect(resumed.machine.isResumed)
            book.expect(Self.connect, "close #1", Self.redial)
            book.serve(try book.connected(), as: try peer(next))
            if verdict == TunnelTests.allowed {
                book.appSends(Self.get)
                book.peerSends(Self.ok)
            }
            book.end(records: 1)
            #expect("record " + (book.records.first?.words ?? "") == verdict)
        }
    }

    @Test("a later link of a tunnel resumes, and starts a full handshake if the origin fails on it")
    func laterLink() throws {
        let identity = try World.identity("good.test")
        let (book, link) = try book()
        book.serve(link, as: try peer(identity))
        book.appSends(Self.get)
        book.peerSends(Self.ok)
        book.originEnded()
        book.appSends(Self.get)
        let second = try peer(identity)
        book.serve(try book.connected(), as: second)
        #expect(second.machine.isResumed)
        book.peerSends(Self.ok)
        book.originEnded()
        book.appSends(Self.get)
        _ = try book.connected()
        book.origin([21, 3, 3, 0, 2, 2, 47])
        let last = try peer(identity)
        book.serve(try book.connected(), as: last)
        #expect(!last.machine.isResumed)
        book.peerSends(Self.ok)
        #expect(book.records.map(\.words) == Array(repeating: "allowed 200 sent=0 received=2", count: 3))
        book.end(records: 3)
    }

    @Test("a passthrough host is judged by a full handshake")
    func probesInFull() throws {
        let identity = try World.identity("good.test")
        try load(identity)
        loop.policy = try World.law(.strict) { $0.passthrough = ["good.test"] }
        for _ in 0..<2 {
            let loop = try World.loop(loop.policy)
            let book = try Playbook(loop.policy, loop: loop)
            _ = try book.openTunnel("good.test")
            try book.appStarts("good.test")
            let peer = try peer(identity)
            book.serve(try book.connected(), as: peer)
            #expect(peer.machine.state == .established && !peer.machine.isResumed)
            book.end(records: 1)
        }
    }
}
