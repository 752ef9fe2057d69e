import Foundation
import Processes
import Testing

extension Abuse {
    /// The rules also apply to the content of a tunnel.
    @Suite("cleartext through a tunnel")
    struct TunnelAbuseTests {
        @Test(
            "HTTP inside a tunnel is judged, whole or in pieces",
            arguments: [
                ["GET / HTTP/1.1\r\nHost: bad.test\r\n\r\n"], ["G", "ET / HTTP/1.1\r\nHost: bad.test\r\n\r\n"],
            ])
        func refused(pieces: [String]) async throws {
            let (answer, heard) = try await onOwnThread {
                let origin = try WitnessOrigin()
                let site = try LabBehindGate(
                    policy: "{}", options: ["--connect-to", "bad.test:80:127.0.0.1:\(origin.port)"])
                let client = try RawClient(port: site.port)
                try client.send("CONNECT bad.test:80 HTTP/1.1\r\nHost: bad.test:80\r\n\r\n")
                try client.read { $0.contains("\r\n\r\n") }
                for piece in pieces { try client.send(piece) }
                try client.read { $0.contains("HTTP/1.1 403") }
                return (client.text, origin.heard)
            }
            #expect(answer.contains("HTTP/1.1 403"))
            #expect(heard.joined().isEmpty)
        }

        @Test("a tunnel to the gate itself, by any of its ports, is refused")
        func loop() async throws {
            let answer = try await onOwnThread {
                let site = try LabBehindGate()
                let client = try RawClient(port: site.port)
                try client.send("CONNECT 127.0.0.1:\(site.port) HTTP/1.1\r\nHost: 127.0.0.1:\(site.port)\r\n\r\n")
                return try client.read { $0.contains("\r\n\r\n") }
            }
            #expect(answer.hasPrefix("HTTP/1.1 508 ") || answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
        }
    }
}
