import ATSPolicy
import Foundation
import Records
import Testing

/// HTTP/2 between curl and nginx, through a real gate.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct HTTP2ThroughGateTests {
    @Test("the client gets the origin's protocol", arguments: [("h2", "2", "h2"), ("h1", "1.1", "http/1.1")])
    func mirrored(name: String, version: String, alpn: String) async throws {
        try await withNginx { rig, _ in
            let outcome = try await rig.curl(
                "--http2", "-o", "/dev/null", "-w", "%{http_version}", "https://\(name).nginx.test/image/1.gif")
            #expect(outcome.output == version, "\(outcome.complaint)")
            let record = try #require(rig.finish().first)
            #expect(record.load.wireProtocol.rawValue == alpn && record.verdict == .allowed)
            #expect(record.origin?.facts?.alpn == alpn)
        }
    }

    @Test("cleartext HTTP/2 inside a tunnel is allowed or blocked by the dictionary", arguments: [true, false])
    func priorKnowledge(isPermitted: Bool) async throws {
        let host = isPermitted ? "clear.nginx.test" : "other.test"
        let policy =
            "{\"NSAppTransportSecurity\":{\"NSExceptionDomains\":{\"\(host)\":"
            + "{\"NSExceptionAllowsInsecureHTTPLoads\":true}}}}"
        try await withNginx(policy: policy) { rig, _ in
            let outcome = try await rig.curl(
                "-p", "--http2-prior-knowledge", "-o", "/dev/null", "-w", "%{http_version} %{http_code}",
                "http://clear.nginx.test/image/1.gif")
            #expect(outcome.output == (isPermitted ? "2 200" : "2 403"), "\(outcome.complaint)")
            let record = try #require(rig.finish().first)
            #expect(record.verdict == (isPermitted ? .allowed : .blocked))
            #expect(record.load.wireProtocol == .http2 && record.load.target.scheme == .http)
        }
    }

    @Test("many small loads share one connection on either side, each with its own record")
    func multiplexed() async throws {
        try await withNginx { rig, _ in
            let outcome = try await rig.curl(
                "-Z", "--parallel-max", "100", "-w", "%{http_code} %{num_connects}\n", "-o", "/dev/null",
                "https://h2.nginx.test/image/0.gif", "-o", "\(rig.folder.path)/#1",
                "https://h2.nginx.test/image/[1-499].gif")
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.filter { $0 == "200 0" }.count == 499 && lines.contains("200 1"), "\(outcome.complaint)")
            let records = rig.finish()
            #expect(records.count == 500)
            #expect(records.allSatisfy { $0.verdict == .allowed && $0.load.wireProtocol == .http2 })
            #expect(records.count { $0.timing.connect != nil } == 1)
        }
    }

    @Test("an origin that sends GOAWAY after every few loads causes no failure")
    func goAway() async throws {
        try await withNginx { rig, _ in
            let outcome = try await rig.curl(
                "-Z", "--parallel-max", "60", "-w", "%{http_code}\n", "-o", "\(rig.folder.path)/#1",
                "https://short.nginx.test/image/[1-60].gif")
            #expect(outcome.output == String(repeating: "200\n", count: 60), "\(outcome.complaint)")
            #expect(rig.finish().map(\.verdict) == Array(repeating: .allowed, count: 60))
        }
    }

    @Test("trailers, and bodies of unknown length in either direction, pass", arguments: ["h2", "h1", "clear"])
    func unknownLengths(name: String) async throws {
        try await withNginx { rig, nginx in
            let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try nginx.serve(body, as: "body")
            let file = nginx.folder.appending(path: "files/body").path
            let base = name == "clear" ? "http://clear.nginx.test" : "https://\(name).nginx.test"
            let version = name == "clear" ? ["-p", "--http2-prior-knowledge"] : ["--http2"]
            let trailers = try await rig.curl(version + ["-D", "-", "-o", "/dev/null", "\(base)/trailers"])
            #expect(trailers.output.contains("X-End: reached") || trailers.output.contains("x-end: reached"))
            let upload = try await rig.curl(
                version + ["-T", file, "-H", "Transfer-Encoding: chunked", "\(base)/upload"])
            #expect(upload.output == "3000000\n", "\(upload.complaint)")
            let form = try await rig.curl(version + ["-F", "one=two", "-F", "file=@\(file)", "\(base)/upload"])
            #expect((Int(form.output.dropLast()) ?? 0) > 3_000_000, "\(form.output) \(form.complaint)")
            rig.finish()
        }
    }

    @Test("content of any encoding, and single and multiple ranges, pass unchanged", arguments: ["h2", "h1"])
    func untouched(name: String) async throws {
        try await withNginx { rig, nginx in
            let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 131 >> 3) })
            try nginx.serve(body, as: "body")
            let base = "https://\(name).nginx.test"
            let copy = rig.folder.appending(path: "copy")
            for encoding in ["gzip", "br", "zz-unknown"] {
                let outcome = try await rig.curl(
                    "-D", "-", "-o", copy.path, "-H", "Accept-Encoding: \(encoding)",
                    "\(base)/encoded/\(encoding)/body")
                #expect(outcome.output.lowercased().contains("content-encoding: \(encoding)"), "\(outcome.complaint)")
                #expect(try Data(contentsOf: copy) == body)
            }
            let one = try await rig.curl(
                "-r", "10-19", "-w", "%{http_code}", "-o", copy.path, "\(base)/files/body")
            #expect(try one.output == "206" && Data(contentsOf: copy) == body[10..<20])
            let two = try await rig.curl("-D", "-", "-r", "0-9,50-59", "-o", copy.path, "\(base)/files/body")
            #expect(two.output.contains("multipart/byteranges"))
            #expect(try Data(contentsOf: copy).range(of: body[50..<60]) != nil)
            rig.finish()
        }
    }

    /// Runs `body` with a gate and its own nginx; both are stopped afterwards.
    private func withNginx(
        policy: String? = "{\"NSAppTransportSecurity\":{\"NSAllowsArbitraryLoads\":true}}",
        _ body: (Rig, NginxOrigin) async throws -> Void
    ) async throws {
        let nginx = try await NginxOrigin()
        defer { nginx.stop() }
        let rig = try Rig(policy: policy) { nginx.lead(&$0) }
        defer { rig.finish() }
        try await body(rig, nginx)
    }
}
