import ATSPolicy
import ProxyCore
import Records
import TLSEngine
import Testing

/// Real handshakes with an origin that resets the large hello of 26. OpenSSL before 3.5 cannot send one.
@Suite(
    "an origin that resets the large hello",
    .enabled(if: OriginTLSContext.canOfferHybridGroup, "this OpenSSL has no X25519MLKEM768: 3.5 or later is needed"))
struct LargeHelloTests {
    /// A tunnel whose origin was reset after the large hello, and a connection for the next hello.
    private func reset(_ change: (inout PolicyDraft) -> Void = { _ in }) throws -> (Playbook, OriginLink) {
        let book = try Playbook(.strict, change)
        let link = try book.openTunnel("big.test")
        try book.appStarts("big.test")
        #expect(book.sent(to: link).count > 1_460)
        book.originEnded(reset: true, on: link)
        return (book, try book.connected())
    }

    @Test("a second handshake without the group decides, and the load fails")
    func found() throws {
        let (book, second) = try reset()
        book.serve(second, as: try OriginPeer(.sound("big.test")))
        #expect(book.records.map(\.diagnosis?.findings.first?.rule) == [.tlsLargeHello])
        let handshake = try #require(book.records.first?.origin?.handshake)
        #expect(handshake.failure == .closed(reset: true))
        #expect(handshake.facts?.groupLeftOut == HelloShape.hybridGroupName)
        #expect(handshake.offer?.offersHybridGroup == true)
        book.end(records: 1)
    }

    @Test("an origin that also fails the small hello is diagnosed with everything")
    func otherCause() throws {
        let (book, second) = try reset()
        book.originEnded(reset: true, on: second)
        book.serve(try book.connected(), as: try OriginPeer(.staticRSA("big.test")))
        #expect(book.records.map(\.diagnosis?.findings.first?.rule) == [.forwardSecrecy])
        book.end(records: 1)
    }

    @Test("with the reading hybrid-retry the load passes over the small hello")
    func retry() throws {
        let (book, second) = try reset { $0.switches.hybridRetry = true }
        book.serve(second, as: try OriginPeer(.sound("big.test")))
        book.appSends("GET / HTTP/1.1\r\nHost: big.test\r\n\r\n")
        #expect(book.peerReads().hasPrefix("GET / "))
        book.peerSends(TunnelTests.ok)
        #expect(book.records.map(\.verdict) == [.allowed])
        #expect(book.records.map(\.diagnosis?.findings.first?.rule) == [.tlsLargeHello])
    }
}
