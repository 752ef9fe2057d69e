import Foundation
import Processes
import Testing

extension Abuse {
    /// Requests that two parsers may read differently.
    @Suite("ambiguous requests")
    struct SmugglingTests {
        @Test(
            "an ambiguous request gets a 400, and no byte of it is forwarded",
            arguments: [
                "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 4\r\nContent-Length: 5\r\n",
                "Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding : chunked\r\n",
                "Content-Length: +4\r\n", "Content-Length: 4\r\n folded\r\n",
            ])
        func refused(fields: String) async throws {
            let (answer, heard) = try await onOwnThread {
                let origin = try WitnessOrigin()
                let site = try LabBehindGate(options: ["--connect-to", "a.test:80:127.0.0.1:\(origin.port)"])
                let client = try RawClient(port: site.port)
                try client.send("POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\(fields)\r\n0\r\n\r\nGET /x HTTP/1.1")
                return (try client.read { $0.contains("\r\n\r\n") }, origin.heard)
            }
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(heard.joined().isEmpty)
        }
    }
}
