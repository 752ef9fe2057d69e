import ATSPolicy
import Dialing
import Foundation
import Lab
import ProxyServer
import Records
import Testing

/// Plain and intercepted HTTP/1.1 through a real gate.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct HTTPThroughGateTests {
    private static let permissive = "{\"NSAppTransportSecurity\":{\"NSAllowsArbitraryLoads\":true}}"

    @Test("a blocked http load shows the page, the rule and -1022")
    func refusedPage() async throws {
        let rig = try Rig()
        let html = try await rig.curl("-i", "http://cleartext.lab.test/a?token=secret")
        #expect(html.output.hasPrefix("HTTP/1.1 403"))
        #expect(html.output.contains("X-ATSGate-Rule: ats.cleartext-load"))
        #expect(html.output.contains("X-ATSGate-Error: NSURLErrorDomain -1022"))
        let json = try await rig.curl("-H", "Accept: application/json", "http://cleartext.lab.test/")
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(object?["rule"] as? String == "ats.cleartext-load")
        #expect(rig.finish().map(\.verdict) == [.blocked, .blocked])
    }

    @Test(
        "big bodies pass unharmed in both directions",
        arguments: ["http://cleartext.lab.test", "https://good.lab.test"])
    func bigBodiesInBulk(base: String) async throws {
        let size = 64 * 1_048_576
        let rig = try Rig(policy: Self.permissive)
        let down = try await rig.curl("-o", "/dev/null", "-w", "%{http_code} %{size_download}", "\(base)/bytes/\(size)")
        #expect(down.output == "200 \(size)")
        let file = rig.folder.appending(path: "body")
        #expect(FileManager.default.createFile(atPath: file.path, contents: Data(count: size)))
        let up = try await rig.curl("-T", file.path, "-w", " %{http_code}", "\(base)/upload")
        #expect(up.output.contains("\(size)") && up.output.hasSuffix(" 200"), "\(up.output)")
        let records = rig.finish()
        #expect(records.map(\.bytesReceived).first == Int64(size))
        #expect(records.map(\.bytesSent).last == Int64(size))
    }

    @Test("one client connection carries several loads to several hosts")
    func keepAlive() async throws {
        let rig = try Rig(policy: Self.permissive)
        let outcome = try await rig.curl(
            "-w", "%{num_connects}\n", "-o", "/dev/null", "-o", "/dev/null", "-o", "/dev/null",
            "http://cleartext.lab.test/", "http://cleartext.lab.test/chunked", "http://cleartext.lab.test/trailers")
        #expect(outcome.output == "1\n0\n0\n")
        let records = rig.finish()
        #expect(records.map(\.status) == [200, 200, 200])
        #expect(records.map { $0.timing.connect == nil } == [false, true, true])
    }

    @Test("an upload that expects 100 Continue gets it and passes")
    func expectContinue() async throws {
        let rig = try Rig(policy: Self.permissive)
        let outcome = try await rig.curl(
            "-v", "-H", "Expect: 100-continue", "--expect100-timeout", "15", "-d", "hello", "https://good.lab.test/echo"
        )
        #expect(outcome.status == 0)
        #expect(outcome.complaint.contains("100 Continue"))
        #expect(outcome.output.contains("hello"))
        rig.finish()
    }

    @Test("an unreachable origin gets an error page", arguments: ["http", "https"])
    func unreachable(scheme: String) async throws {
        let rig = try Rig(policy: Self.permissive) {
            $0.connectTo.append(ConnectTo(host: "closed.test", port: nil, toHost: "127.0.0.1", toPort: 1))
        }
        let outcome = try await rig.curl("-i", "\(scheme)://closed.test/")
        #expect((outcome.output + outcome.complaint).contains("502"))
        let records = rig.finish()
        #expect(records.map(\.verdict) == [.failed])
        #expect(records.first?.diagnosis?.findings.first?.rule == .netRefused)
    }

    @Test("a load to the gate itself is not dialed")
    func loop() async throws {
        let rig = try Rig(policy: Self.permissive)
        let outcome = try await rig.curl("-o", "/dev/null", "-w", "%{http_code}", "http://localhost:\(rig.port)/")
        #expect(outcome.output == "508")
        let direct = try await rig.curl("http://localhost:\(rig.port)/", proxied: false)
        #expect(direct.output.contains("This is a proxy"))
        #expect(rig.finish().count == 1)
    }

    @Test("cleartext inside a tunnel is judged as an http load")
    func cleartextTunnel() async throws {
        let rig = try Rig {
            $0.connectTo.append(
                ConnectTo(host: "tunnel.test", port: 80, toHost: "127.0.0.1", toPort: Rig.cleartextPort))
        }
        let outcome = try await rig.curl("-p", "-i", "http://tunnel.test/")
        #expect(outcome.output.contains("403 Forbidden"))
        let records = rig.finish()
        #expect(records.map(\.verdict) == [.blocked])
        #expect(records.first?.load.target.scheme == .http)
    }
}

extension Rig {
    static var cleartextPort: Int {
        (try? SharedLabs.shared.get())?.origins.first { $0.scheme == .http }?.realPort ?? 0
    }
}
