import CPoll
import Foundation
import Processes
import Testing

extension Abuse {
    /// Many clients that request little, slowly.
    @Suite("crowds")
    struct CrowdTests {
        @Test("400 endless heads delay no other client, and are ended in time")
        func slowHeads() async throws {
            let (served, answers) = try await onOwnThread {
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

        /// The loader's results for loads next to a crowd.
        private struct Figures: Decodable, Sendable {
            let requests: Int
            let errors: Int
            /// Microseconds.
            let p50: Int
            let p99: Int
        }

        @Test(
            "with 1,500 slow heads and 1,024 descriptors, 99 of 100 requests are answered within a tenth of a second")
        func moreThanDescriptors() async throws {
            let (figures, said, answers) = try await onOwnThread {
                guard cpoll_raise_descriptor_limit() > 2_000 else {
                    throw TestFailure(description: "too few descriptors")
                }
                let site = try LabBehindGate(descriptors: 1_024)
                let crowd = try (0..<1_500).map { _ in
                    let client = try RawClient(port: site.port)
                    try client.send("GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nX-Slow: ")
                    return client
                }
                let loader = try site.loader(
                    "load", LabBehindGate.plain + "/", ["--connections", "16", "--seconds", "60", "--loads", "4000"])
                loader.wait()
                let figures = try JSONDecoder().decode(Figures.self, from: Data(loader.written.utf8))
                let gone = try crowd.prefix(100).map { try $0.read() }
                return (figures, site.gate.said, gone)
            }
            print("with 1,500 slow heads: \(figures)")
            #expect(figures.errors == 0 && figures.requests >= 4_000)
            #expect(figures.p99 < 100_000, "\(figures)")
            #expect(said.contains("running out of descriptors"))
            #expect(answers.allSatisfy { $0.isEmpty || $0.hasPrefix("HTTP/1.1 408 ") })
        }

        @Test("an endless head is refused before it is large")
        func endlessHead() async throws {
            let (answer, grown) = try await onOwnThread {
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
