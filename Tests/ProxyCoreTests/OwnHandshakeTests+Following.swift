import ATSPolicy
import Bytes
import ProxyCore
import Records
import TLSEngine
import Testing

/// Bytes that follow the judged handshake in the same connection.
extension OwnHandshakeTests {
    /// Bytes that must not follow a TLS 1.2 handshake: handshake records, a change of cipher, and bytes that are not
    /// TLS.
    private static let followers: [([UInt8], RuleID)] = [
        ([22, 3, 3, 0, 2, 0, 0], .clientOwnHandshake), ([20, 3, 3, 0, 1, 1], .clientOwnHandshake),
        (Array("GET / HTTP/1.1\r\n\r\n".utf8), .tlsNotTLS), ([23, 2, 0, 0, 0], .tlsNotTLS),
        ([23, 3, 3, 0xFF, 0xFF], .tlsNotTLS),
    ]

    @Test(
        "no second handshake may follow the judged one, from either side, in any pieces",
        arguments: [EnforcementMode.enforce, .audit], followers)
    func followed(mode: EnforcementMode, follower: ([UInt8], RuleID)) throws {
        var settings = try ServerTLSSettings.sound("a.test")
        settings.maximum = .tls12
        let data: [UInt8] = [23, 3, 3, 0, 1, 0]
        for (isClient, isBytewise) in [(true, true), (true, false), (false, true), (false, false)] {
            let book = try pass(judged: settings, served: settings, mode: mode)
            let link = book.links[0]
            book.appSends("ping")
            #expect(book.peerReads(on: link) == "ping")
            book.app = nil
            _ = (book.sent(to: link), book.clientReads())
            let all = data + follower.0
            for piece in isBytewise ? all.map({ [$0] }) : [all] where !book.session.isClosed {
                if isClient { book.client(piece) } else { book.origin(piece, on: link) }
            }
            let passed = isClient ? book.sent(to: link) : book.clientOutbox.drained
            #expect(book.session.isClosed == (mode == .enforce))
            #expect(mode == .audit ? passed == all : passed.count < all.count)
            if !isBytewise, mode == .enforce { #expect(passed.isEmpty) }
            book.end(records: 1)
            #expect(book.records.map(\.verdict) == [mode == .enforce ? .failed : .allowed])
            #expect(rules(book) == [follower.1])
        }
    }

    @Test("after an origin's refusal only alerts pass")
    func refused() throws {
        for (piece, isEnd) in [([21, 3, 3, 0, 2, 2, 40], false), (try AppPeer.hello("bad.test"), true)]
            as [([UInt8], Bool)]
        {
            let book = try Playbook(.strict) { $0.passthrough = ["a.test"] }
            let link = try book.openTunnel("a.test")
            book.client(try AppPeer.hello("a.test"))
            book.serve(try book.connected(), as: try OriginPeer(.sound("a.test")))
            book.origin([21, 3, 3, 0, 2, 2, 40], on: link)
            _ = book.sent(to: link)
            book.client(piece)
            #expect(book.sent(to: link) == (isEnd ? [] : piece))
            #expect(book.session.isClosed == isEnd)
            book.end(records: 1)
            #expect(book.records.map(\.verdict) == [.failed])
            #expect(rules(book) == [isEnd ? .clientOwnHandshake : .tlsAlert])
        }
    }
}
