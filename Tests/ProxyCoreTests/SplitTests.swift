import Bytes
import ProxyCore
import TLSEngine
import Testing

@Suite("every split of the client's bytes has the same result")
struct SplitTests {
    /// All effects except timers and pauses, and the bytes that client and origin got.
    private struct Story: Equatable {
        var effects: [String]
        var client: String
        var origin: String
    }

    private static let pipeline =
        "GET http://a.test/1 HTTP/1.1\r\nHost: a.test\r\n\r\n"
        + "POST http://a.test/2 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello"
        + "GET http://denied.example/ HTTP/1.1\r\nHost: denied.example\r\n\r\n"
        + "POST http://a.test/3 HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"

    /// Feeds the pieces; the origin answers each request after its last byte.
    private func plainStory(_ pieces: [ArraySlice<UInt8>]) throws -> Story {
        let book = try Playbook()
        var read = ""
        var answered = 0
        for piece in pieces {
            book.client(Array(piece))
            var hasMoved = true
            while hasMoved {
                hasMoved = false
                if book.links.isEmpty, book.transcript.contains(where: { $0.hasPrefix("  connect") }) {
                    try book.connected()
                    hasMoved = true
                }
                read += book.originReads()
                let ends = ["/1 HTTP/1.1\r\nHost: a.test\r\nVia: 1.1 atsgate\r\n\r\n", "hello", "0\r\n\r\n"]
                if answered < ends.count, read.hasSuffix(ends[answered]) {
                    answered += 1
                    book.origin("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(answered)")
                    hasMoved = true
                }
            }
        }
        book.clientEnded()
        book.end(records: 4)
        // Chunk boundaries follow the pieces, so they are normalized.
        let whole = read.replacing("1\r\no\r\n1\r\nk\r\n", with: "2\r\nok\r\n")
        return Story(effects: story(of: book), client: book.clientReads(), origin: whole)
    }

    private func story(of book: Playbook) -> [String] {
        book.transcript.filter { $0.hasPrefix("  ") && !$0.contains("pause") && !$0.contains("resume") }
    }

    @Test("a pipeline of plain loads has the same result in every split")
    func pipeline() throws {
        let bytes = Array(Self.pipeline.utf8)
        let whole = try plainStory([bytes[...]])
        #expect(whole.effects.count == 7)
        #expect(try plainStory(bytes.indices.map { bytes[$0...$0] }) == whole)
        for cut in 1..<bytes.count {
            let split = try plainStory([bytes[..<cut], bytes[cut...]])
            guard split != whole else { continue }
            Issue.record("cut at \(cut): \(split)\nwhole: \(whole)")
            return
        }
    }

    /// One tunnel with one load; `pieces` cuts each flight of the client.
    private func tunnelStory(_ identity: SigningIdentity, pieces: ([UInt8]) -> [ArraySlice<UInt8>]) throws -> Story {
        let book = try Playbook(.strict)
        let app = try AppPeer(serverName: "good.test")
        let peer = try OriginPeer(ServerTLSSettings(identity: identity, alpn: ["http/1.1"]))
        app.machine.start()
        let connect = Array("CONNECT good.test:443 HTTP/1.1\r\nHost: good.test:443\r\n\r\n".utf8)
        var hasAsked = false
        var shown = ""
        var up = connect + app.outbox.drained
        while !up.isEmpty {
            for piece in pieces(up) {
                book.client(Array(piece))
                if book.links.isEmpty, book.transcript.contains(where: { $0.hasPrefix("  connect") }) {
                    book.serve(try book.connected(), as: peer)
                }
                book.carry()
            }
            var down = book.clientOutbox.drained
            if shown.isEmpty {
                let head = down.count - (down.firstIndex(of: 0x16) ?? down.count)
                shown = String(decoding: down.dropLast(head), as: UTF8.self)
                down = Array(down.suffix(head))
            }
            down.withUnsafeBytes { app.machine.receive($0, plaintext: app.plaintext) }
            if app.machine.state == .established, !hasAsked {
                hasAsked = true
                app.send(TunnelTests.get)
            } else if hasAsked, !peer.plaintext.isEmpty {
                shown += peer.reads()
                book.peerSends(TunnelTests.ok)
                book.clientOutbox.drained.withUnsafeBytes { app.machine.receive($0, plaintext: app.plaintext) }
            }
            up = app.outbox.drained
        }
        shown += app.reads()
        book.end(records: 1)
        return Story(effects: story(of: book), client: shown, origin: "")
    }

    @Test("a tunnel with a load has the same result in every split")
    func tunnel() throws {
        let identity = try World.identity("good.test")
        let whole = try tunnelStory(identity) { [$0[...]] }
        #expect(whole.effects.contains("  record allowed 200 sent=0 received=2"))
        #expect(whole.client.hasSuffix("\r\n\r\nok"))
        #expect(try tunnelStory(identity) { bytes in bytes.indices.map { bytes[$0...$0] } } == whole)
        for cut in stride(from: 1, to: 700, by: 1) {
            let split = try tunnelStory(identity) { bytes in
                cut < bytes.count ? [bytes[..<cut], bytes[cut...]] : [bytes[...]]
            }
            guard split != whole else { continue }
            Issue.record("cut at \(cut): \(split)\nwhole: \(whole)")
            return
        }
    }
}
