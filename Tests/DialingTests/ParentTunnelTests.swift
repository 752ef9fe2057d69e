import ATSPolicy
import Bytes
import Dialing
import Testing

@Suite("the CONNECT request to a parent, and its response")
struct ParentTunnelTests {
    /// Feeds the parent's response in two pieces, cut at `cut`.
    private func outcome(of answer: String, cut: Int) -> ParentTunnel.Outcome {
        let tunnel = ParentTunnel()
        let bytes = Array(answer.utf8)
        let first = bytes[..<cut].withUnsafeBytes { tunnel.receive($0) }
        guard first == .waiting else { return first }
        return bytes[cut...].withUnsafeBytes { tunnel.receive($0) }
    }

    @Test(
        "a response has the same outcome in every split",
        arguments: [
            ("HTTP/1.1 200 OK\r\n\r\n", ParentTunnel.Outcome.open(early: [])),
            ("HTTP/1.0 200 Connection established\r\nContent-Length: 5\r\n\r\n", .open(early: [])),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 None\r\nTransfer-Encoding: chunked\r\n\r\n", .open(early: [])),
            ("HTTP/1.1 407 No\r\nContent-Length: 4\r\n\r\n", .failed(.answered(status: 407))),
            ("HTTP/1.1 301 Away\r\nLocation: /\r\n\r\n", .failed(.answered(status: 301))),
            ("HTTP/1.1 200 OK\r\n", .waiting), ("SSH-2.0-x\r\n", .failed(.gaveNoAnswer)),
        ])
    func answers(answer: String, outcome: ParentTunnel.Outcome) {
        for cut in 0...answer.utf8.count { #expect(self.outcome(of: answer, cut: cut) == outcome, "cut at \(cut)") }
    }

    @Test("bytes of the origin directly after the parent's response are kept")
    func earlyBytes() {
        #expect(
            outcome(of: "HTTP/1.1 200 OK\r\n\r\n220 hi", cut: 0) == .open(early: Array("220 hi".utf8)))
    }

    @Test("the request contains the credentials, and an IPv6 address in brackets")
    func question() {
        let queue = ByteQueue()
        ParentTunnel().ask(host: "::1", port: 443, authorization: "Basic eDp5", to: queue)
        #expect(
            String(decoding: queue.bytes, as: UTF8.self)
                == "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\nProxy-Authorization: Basic eDp5\r\n"
                + "Via: 1.1 atsgate\r\n\r\n")
    }

    @Test("seeded random responses never trap")
    func monkey() {
        var state: UInt64 = 3128
        func die(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % sides
        }
        let parts = ["HTTP/1.1", " 200", " 100", " 407", " ", "\r\n", "\r\n\r\n", "A: b", "\u{0}", "Content-Length: 9"]
        for _ in 0..<3_000 {
            let tunnel = ParentTunnel()
            for _ in 0..<8 {
                let bytes = Array(parts[die(parts.count)].utf8)
                guard bytes.withUnsafeBytes({ tunnel.receive($0) }) == .waiting else { break }
            }
        }
    }
}
