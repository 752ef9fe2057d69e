import Foundation
import Testing

/// `evidence compare` and `evidence export`, run with the built command.
@Suite("evidence compare and export", .timeLimit(.minutes(10)))
struct EvidenceCompareTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
        try folder.write(DeviceLog.app, to: "app.log")
        try folder.write(DeviceLog.nscurl, to: "nscurl.txt")
        try folder.write("{}", to: "strict.json")
        try folder.write(#"{"NSAllowsArbitraryLoads":true}"#, to: "free.json")
    }

    private func evidence(_ words: [String], input: String = "") throws -> Binary.Outcome {
        try Binary.run(["evidence"] + words, in: folder, input: input)
    }

    private struct Compared: Decodable {
        struct Field: Decodable {
            let field: String
            let answer: String
            let device: String
            let why: String?
        }

        let url: String
        let system: String
        let systemTold: Bool
        let answer: String
        let fields: [Field]

        func answer(_ field: String) -> String? { fields.first { $0.field == field }?.answer }
    }

    private func compared(_ words: [String]) throws -> (status: Int32, loads: [Compared]) {
        let outcome = try evidence(["compare", "--json"] + words)
        let loads = try outcome.output.split(separator: "\n").map {
            try JSONDecoder().decode(Compared.self, from: Data($0.utf8))
        }
        return (outcome.status, loads)
    }

    @Test("loads blocked before a connection agree; loads that need the origin's certificate are undecided")
    func logAlone() throws {
        let (status, loads) = try compared(["app.log", "--policy", "strict.json", "--os", "ios17"])
        #expect(status == 0 && loads.map(\.answer) == ["agree", "cannot tell", "cannot tell"])
        #expect(loads.first?.answer("code") == "agree" && loads.first?.answer("lines") == "agree")
        #expect(loads[1].fields.first?.why == "a device's log does not contain the server's certificate")
        let text = try evidence(["compare", "app.log", "--policy", "strict.json"])
        #expect(text.status == 0 && text.output.hasPrefix("3 loads: 1 agree, 2 cannot tell\n"), "\(text.output)")
        #expect(text.output.contains("HOST") && text.output.contains("FIELD"))
        #expect(try compared(["app.log"]).loads.allSatisfy { !$0.systemTold && $0.system == "ios27" })
    }

    @Test("if the dictionary allows what the device refused, the gate is laxer and the status is 1")
    func laxer() throws {
        let (status, loads) = try compared(["app.log", "--policy", "free.json", "--os", "ios17"])
        #expect(status == 1 && loads.map(\.answer) == ["gate laxer", "gate laxer", "agree"])
        let text = try evidence(["compare", "app.log", "--policy", "free.json", "--os", "ios17"])
        #expect(text.status == 1 && text.output.contains("gate laxer: http://cleartext.lab.test/"), "\(text.output)")
        #expect(text.output.contains("outcome: device blocked, -1022; gate allowed"))
        #expect(loads.first?.fields.first?.device == "refused, -1022")
    }

    @Test("if the rules refuse what the device allowed, the gate is stricter")
    func stricter() throws {
        let passed = """
            [C3 0A0A0A0A-1111-4222-8333-444444444445 a.shop.test:443 tcp, url hash: 2, tls] start
            Task <0A0A0A0A-1111-4222-8333-444444444444>.<1> {strength 0, tls 4, ct 0, sub 0, sig 1, ciphers 0, bundle 1, builtin 0}
            Task <0A0A0A0A-1111-4222-8333-444444444444>.<1> setting up Connection 3
            Task <0A0A0A0A-1111-4222-8333-444444444444>.<1> received response, status 200 content K

            """
        try folder.write(passed, to: "ruling.log")
        let (status, loads) = try compared(["ruling.log", "--os", "ios13"])
        #expect(status == 1 && loads.map(\.answer) == ["gate stricter"])
        for field in ["strictness", "minimumTLS", "forwardSecrecy"] {
            #expect(loads.first?.answer(field) == "gate stricter", "\(field)")
        }
        #expect(loads.first?.answer("transparency") == "agree" && loads.first?.answer("entry") == "other entry")
        let free = try compared(["ruling.log", "--os", "ios13", "--policy", "free.json"])
        #expect(free.status == 0 && free.loads.map(\.answer) == ["agree"])
        #expect(free.loads.first?.answer("strictness") == "agree")
    }

    @Test("usage errors and bad input have their exit codes")
    func codes() throws {
        #expect(try evidence(["compare", "app.log", "--recording", "app", "--store", "s.sqlite"]).status == 64)
        #expect(try evidence(["compare", "-", "--policy", "-"], input: "{}").status == 64)
        #expect(try evidence(["compare", "missing.log"]).status == 65)
        #expect(try evidence(["compare", "app.log", "--policy", "missing.plist"]).status == 65)
        #expect(try evidence(["compare", "app.log", "--with", "x", "--store", "s.sqlite"]).status == 65)
        #expect(try evidence(["compare", "app.log", "--matrix", "strict.json"]).status == 65)
        try folder.write("nothing\n", to: "other.log")
        #expect(try evidence(["compare", "other.log"]).status == 3)
    }

    @Test("a recording of the gate supplies the origins' handshakes, for logs and for their imports")
    func withRecording() throws {
        let lab = try Launch.lab(in: folder)
        let curl = "curl -sk -o /dev/null --max-time 60 "
        let script = ["good", "expired"].map { curl + "https://\($0).lab.test/ || true" }.joined(separator: "; ")
        let run = try Binary.run(
            [
                "run", "--config", "lab.conf", "--store", "s.sqlite", "--recording", "gate", "--assume", "app",
                "--exit-zero", "--", "sh", "-c", script,
            ], in: folder)
        #expect(run.status == 0, "\(run.prose)")
        let known = ["--with", "gate", "--store", "s.sqlite", "--os", "ios17"]
        let (status, loads) = try compared(["app.log", "--policy", "strict.json"] + known)
        #expect(status == 0 && loads.map(\.answer) == ["agree", "agree", "agree"], "\(loads)")
        #expect(loads[1].answer("code") == "agree" && loads[1].answer("lines") == "agree")
        #expect(try evidence(["import", "app.log", "--store", "s.sqlite"]).status == 0)
        let imported = try compared(["--recording", "app"] + known)
        #expect(imported.status == 0 && imported.loads.map(\.answer) == ["agree", "agree", "agree"])
        let again = try Binary.run(
            ["run", "--store", "s.sqlite", "--exit-zero", "--", "curl", "-s", "http://a.test/"], in: folder)
        #expect(again.status != 64)
        let newest = try compared(["--with", "gate", "--store", "s.sqlite", "--os", "ios17"])
        #expect(newest.status == 0 && newest.loads.count == 3, "the newest recording with results of a device")
        let none = try evidence(["compare", "--recording", "gate", "--store", "s.sqlite"])
        #expect(none.status == 3 && none.prose.contains("no device reported a result"))
        _ = lab.stop()
    }

    @Test("a matrix saved by probe is compared with nscurl's tests by name")
    func matrix() throws {
        let lab = try Launch.lab(in: folder)
        let probe = try Binary.run(
            ["probe", "--config", "lab.conf", "--matrix", "--json", "--os", "macos15", "https://tls10.lab.test/"],
            in: folder)
        try folder.write(probe.output, to: "matrix.json")
        _ = lab.stop()
        let (status, loads) = try compared(["nscurl.txt", "--matrix", "matrix.json"])
        #expect(loads.map(\.answer).first == "agree", "\(loads)")
        #expect(loads.count == 2 && loads.allSatisfy { $0.system == "macos15" })
        #expect(status == (loads.contains { $0.answer.hasPrefix("gate") } ? 1 : 0))
        #expect(try evidence(["compare", "--matrix", "matrix.json"]).status == 64)
    }

    @Test("export writes a masked case that still differs, and nothing if nothing differs")
    func export() throws {
        let cases = try evidence(["export", "app.log", "--policy", "free.json", "--os", "ios17"])
        #expect(cases.status == 0, "\(cases.prose)")
        let lines = cases.output.split(separator: "\n")
        #expect(
            lines.count == 2
                && lines.first?.hasPrefix(
                    #"{"id":"case-1","source":"a log that is not public","system":"ios17","dictionary":{"NSAllowsArbitraryLoads":true},"url":"http://"#
                ) == true)
        for secret in ["lab.test", "carol", "bob", "Shop", "page=2"] {
            #expect(!cases.output.contains(secret), "\(secret)")
        }
        let named = try evidence(
            ["export", "app.log", "--policy", "free.json", "--mask", "/users/*", "--source", "https://example.com/1"])
        #expect(
            named.output.contains("http://cleartext.lab.test/users/masked-")
                && named.output.contains("https://example.com/1"))
        let none = try evidence(["export", "app.log", "--policy", "strict.json", "--os", "ios17"])
        #expect(none.status == 3 && none.output.isEmpty)
    }
}
