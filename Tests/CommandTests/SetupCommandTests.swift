import Foundation
import Testing

@Suite("setup, doctor", .timeLimit(.minutes(10)))
struct SetupCommandTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    #if os(Linux)
    @Test(
        "without macOS setup ends with 69 and the reason",
        arguments: [["mac"], ["simulator"], ["simulator", "all", "--undo"]])
    func elsewhere(words: [String]) throws {
        let outcome = try Binary.run(["setup"] + words, in: folder)
        #expect(outcome.status == 69)
        #expect(outcome.prose.contains("setup mac and setup simulator need macOS"))
    }
    #endif

    @Test("--empty-keychains needs --undo")
    func emptying() throws {
        let outcome = try Binary.run(["setup", "simulator", "--empty-keychains"], in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.prose.contains("--undo"))
    }

    private struct Report: Decodable {
        struct Check: Decodable {
            var check: String
            var state: String
            var sentence: String
            var mend: String?
        }

        var isWell: Bool
        var checks: [Check]
    }

    private func doctor(_ arguments: [String]) throws -> (status: Int32, report: Report) {
        let outcome = try Binary.run(
            ["doctor", "--json"] + arguments, in: folder,
            environment: ["https_proxy": "", "HTTPS_PROXY": "", "http_proxy": "", "all_proxy": "", "ALL_PROXY": ""])
        return (outcome.status, try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8)))
    }

    @Test("doctor names a device from which only checks of the connection arrived, until an app loads")
    func onlyChecks() throws {
        func apps(_ urls: String) throws -> [Report.Check] {
            _ = try Binary.run(
                [
                    "run", "--store", "s.db", "--recording", "one", "--exit-zero", "--", "sh", "-c",
                    "curl -s \(urls) || true",
                ],
                in: folder)
            return try doctor(["--gate", "127.0.0.1:1", "--store", "s.db"]).report.checks.filter { $0.check == "apps" }
        }
        let found = try apps("http://captive.apple.com/hotspot-detect.html")
        #expect(found.map(\.state) == ["unknown"])
        #expect(found.first?.sentence.hasPrefix("from 127.0.0.1 only checks of the connection arrive") == true)
        #expect(try apps("http://api.example.com/").isEmpty)
    }

    @Test("doctor reports a missing gate, then the gate, then a gate with another CA")
    func doctor() throws {
        let none = try doctor(["--gate", "127.0.0.1:1"])
        #expect(none.status == 1)
        #expect(!none.report.isWell)
        let text = try Binary.run(["doctor", "--gate", "127.0.0.1:1"], in: folder)
        #expect(text.output.hasPrefix("problem gate      nothing listens at 127.0.0.1:1; "), "\(text.output)")
        #expect(none.report.checks.first?.check == "gate")
        #expect(none.report.checks.first?.mend == "atsgate proxy --listen 127.0.0.1:1")
        // The check creates no CA.
        #expect(!FileManager.default.fileExists(atPath: folder.path("data/atsgate/ca-key.pem")))
        let gate = try Launch(
            ["proxy", "--listen", "127.0.0.1:0", "--port-file", "port", "--web", "off"], in: folder)
        #expect(gate.waits { FileManager.default.fileExists(atPath: folder.path("port")) })
        let port = try String(contentsOfFile: folder.path("port"), encoding: .utf8).split(separator: "\n")[0]
        let found = try doctor(["--gate", "127.0.0.1:\(port)"]).report.checks
        #expect(found.first { $0.check == "gate" }?.state == "well")
        #expect(found.first { $0.check == "ca" }?.state == "well")
        let words = try Binary.run(["doctor", "--gate", "127.0.0.1:\(port)"], in: folder).output
        #expect(words.hasPrefix("ok      gate      ") && words.contains("\nok      ca        "), "\(words)")
        #expect(found.first { $0.check == "traffic" }?.state == "broken")
        try folder.write("<plist><dict/></plist>", to: "Info.plist")
        let thought = try doctor(["--gate", "127.0.0.1:\(port)", "--policy", "Info.plist"]).report.checks
        let policy = thought.first { $0.check == "policy" }
        #expect(policy?.state == "broken")
        #expect(policy?.sentence == "the gate judges by secure defaults, not by Info.plist")
        _ = try Binary.run(["ca", "rotate"], in: folder)
        let rotated = try doctor(["--gate", "127.0.0.1:\(port)"]).report.checks
        #expect(rotated.first { $0.check == "ca" }?.state == "broken")
        #expect(gate.stop().status == 0)
    }

    @Test("doctor does not wait for a peer that sends one byte at a time")
    func drip() throws {
        let server = try DrippingServer(bytes: 20)
        let checks = try doctor(["--gate", "127.0.0.1:\(server.port)"]).report.checks
        #expect(checks.first { $0.check == "gate" }?.sentence.hasPrefix("another program listens") == true)
        // Four seconds on an idle machine.
        #expect(server.end() < 15)
    }
}
