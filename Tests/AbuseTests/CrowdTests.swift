import Foundation
import Processes
import Testing

extension Abuse {
    /// Many who ask for little, slowly.
    @Suite("crowds")
    struct CrowdTests {
        @Test("400 heads that never end keep nobody else waiting, and are ended in time")
        func slowHeads() async throws {
            let (served, answers) = try await aside {
                let site = try LabBehindGate(options: ["--timeout", "head=2s"])
                let crowd = try (0..<400).map { _ in try RawClient(port: site.port) }
                for client in crowd { try client.send("GET http://a.test/ HTTP/1.1\r\nHost: a.te") }
                let loader = try site.loader("load", LabBehindGate.plain + "/", ["--seconds", "60", "--loads", "100"])
                let served = loader.wait() == 0 && loader.written.contains(#""errors":0"#)
                return (served, try crowd.map { try $0.read() })
            }
            #expect(served)
            #expect(answers.allSatisfy { $0.isEmpty || $0.hasPrefix("HTTP/1.1 408 ") })
        }

        @Test("a head without end is refused before it is large")
        func endlessHead() async throws {
            let (answer, grown) = try await aside {
                let site = try LabBehindGate()
                let memory = Memory(process: site.gate.identifier)
                let before = try memory.resident()
                let client = try RawClient(port: site.port)
                try client.send("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n")
                let field = "X-Filler: " + String(repeating: "a", count: 8_000) + "\r\n"
                for _ in 0..<1_000 where !client.hasEnded { try client.send(field) }
                return (try client.read(), try memory.resident() - before)
            }
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 431 "), "\(answer)")
            #expect(grown < 4_096, "KiB")
        }
    }
}
