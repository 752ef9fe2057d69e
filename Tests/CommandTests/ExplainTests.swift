import ATSPolicy
import Diagnosis
import Foundation
import Testing

@Suite("explain", .timeLimit(.minutes(10)))
struct ExplainTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test("the status is 0 if every load is allowed, and 1 if one is blocked")
    func exitCodes() throws {
        #expect(try Binary.run(["explain", "https://example.com/"], in: folder).status == 0)
        #expect(try Binary.run(["explain", "https://example.com/", "http://example.com/"], in: folder).status == 1)
    }

    @Test(
        "an argument that cannot be explained is a usage error, and nothing is printed",
        arguments: ["a b", "ftp://a/", "http://", "-42", "ats.forward-secrcy", "foo"])
    func badURL(text: String) throws {
        let outcome = try Binary.run(["explain", "https://example.com/", text], in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
    }

    @Test("--json prints one object per URL and line, with all documented keys")
    func json() throws {
        let outcome = try Binary.run(["explain", "--json", "http://example.com/", "https://example.com/"], in: folder)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 2)
        let keys: Set = [
            "url", "os", "loader", "ruling", "rule", "keyPath", "entry", "builtIn", "local", "demands", "notes",
        ]
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object.map { Set($0.keys) } == keys)
        }
    }

    @Test(
        "codes, rules, and hosts without a scheme are explained",
        arguments: [
            ("-9802", "ats.pinned-identity"), ("-1022", "ats.cleartext-load"), ("3:-9858", "tls.alert"),
            ("-1200 [3:-9802]", "errSSLFatalAlert"), ("errSSLHostNameMismatch", "trust.host-name"),
            ("ats.forward-secrecy", "NSExceptionRequiresForwardSecrecy"),
            ("example.com", "No scheme given: https is assumed."),
            ("b\u{FC}cher.example", "xn--bcher-kva.example"),
        ])
    func subjects(subject: String, expected: String) throws {
        let outcome = try Binary.run(["explain", subject], in: folder)
        #expect(outcome.status == 0 && outcome.output.contains(expected), "\(outcome.output)\(outcome.prose)")
        let json = try Binary.run(["explain", "--json", subject], in: folder)
        #expect((try? JSONSerialization.jsonObject(with: Data(json.output.utf8))) != nil, "\(json.output)")
    }

    @Test("a dictionary on standard input applies")
    func standardInput() throws {
        let policy = #"{"NSExceptionDomains": {"example.com": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#
        let outcome = try Binary.run(["explain", "--policy", "-", "http://example.com/"], in: folder, input: policy)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("  allowed    on "))
    }

    @Test("a key without effect causes a warning on standard error")
    func warning() throws {
        let policy = #"{"NSAllowArbitraryLoads": true}"#
        let outcome = try Binary.run(["explain", "--policy", "-", "http://example.com/"], in: folder, input: policy)
        #expect(outcome.status == 1)
        #expect(outcome.prose.contains("NSAllowsArbitraryLoads"))
    }

    @Test("--pin-when-ats-off and the other interpretation options are accepted, and the one in use is printed")
    func readings() throws {
        let policy = """
            {"NSAllowsArbitraryLoads": true, "NSPinnedDomains": {"a.com": {"NSPinnedLeafIdentities": []}},
            "NSExceptionDomains": {"b.com": {"NSExceptionRequiresForwardSecrecy": false}}}
            """
        func explain(_ arguments: String...) throws -> Binary.Outcome {
            try Binary.run(["explain", "--verbose", "--policy", "-"] + arguments, in: folder, input: policy)
        }
        let pinned = try explain("https://a.com/")
        #expect(pinned.output.contains("a pinned identity"))
        #expect(pinned.output.contains("--reading pin-when-ats-off=off (atsgate explain law/pinning#with-ats-off)"))
        let off = try explain("--pin-when-ats-off", "off", "https://a.com/")
        #expect(!off.output.contains("a pinned identity"))
        #expect(off.output.contains("--reading pin-when-ats-off=on (atsgate explain law/pinning#with-ats-off)"))
        let all = try explain(
            "--key-size-without-pfs", "off", "--certificate-scope", "leaf", "--suite-list", "documented",
            "--insecure-trust", "any", "--handshake-failure-code", "9824", "--untrusted-root-code", "9807",
            "https://b.com/")
        #expect(all.output.contains("SHA-256 signatures of the leaf only") && !all.output.contains("RSA 2048"))
        #expect(all.output.contains("--reading handshake-failure-code=9858 (C14)"))
        #expect(try explain("--handshake-failure-code", "9802", "https://b.com/").status == 64)
    }

    @Test("a reading is chosen by its name or its contradiction, the last one counts, and mistakes get a sentence")
    func chosenReadings() throws {
        func explain(_ arguments: String...) throws -> Binary.Outcome {
            try Binary.run(["explain", "--verbose"] + arguments, in: folder)
        }
        let address = "https://10.0.0.1/"
        for reading in ["suite-list=documented", "C6=documented", "c6=documented"] {
            let chosen = try explain("--reading", reading, "https://b.com/")
            #expect(chosen.output.contains("--reading suite-list=published (C6)"), "\(reading)")
        }
        let last = try explain("--reading", "strict-ip=on", "--reading", "strict-ip=off", "--os", "ios17", address)
        #expect(last.output.contains("--reading strict-ip=on"))
        for (mistake, words) in [
            ("strict-ip=maybe", "write one of on, off"), ("nothing=on", "is not a reading"),
            ("strict-ip", "write one of"),
            ("C7=on", "is not a reading"), ("local-nets=10", "CIDR ranges"),
        ] {
            let failed = try explain("--reading", mistake, address)
            #expect(failed.status == 64 && failed.prose.contains(words), "\(failed.prose)")
        }
    }

    @Test("the page on contradictions lists every one, with its options or the reason why it has none")
    func table() throws {
        let page = try String(contentsOf: Repository.file("docs/contradictions.md"), encoding: .utf8)
        let readings = try Binary.run(["explain", "readings"], in: folder).output
        for contradiction in (1...18).map({ "C\($0)" }) {
            let row = page.split(separator: "\n").first { $0.hasPrefix("| [\(contradiction)](") }
            let text = try #require(row, "\(contradiction)")
            let options = JudgeSwitch.all.filter { $0.source == contradiction }.map(\.name)
            #expect(text.contains("`--") != options.isEmpty)
            #expect(text.contains("| none: ") == options.isEmpty)
            for name in options {
                #expect(text.contains("`--reading \(name)="), "\(name)")
                #expect(readings.contains("--reading \(name)="), "\(name)")
            }
        }
        for command in ["explain", "proxy", "probe", "replay"] {
            let help = try Binary.run([command, "--help-hidden"], in: folder).output
            #expect(help.contains("--reading ") && !help.contains("--strict-ip "), "\(command)")
        }
    }

    @Test("an unknown word gets a suggestion, and the spelling for a host of that name")
    func words() throws {
        for (word, hint) in [
            ("loadrs", "did you mean loaders?"), ("foo", "atsgate explain topics"), ("own-cas", "did you mean own-ca?"),
            ("SSL_ERROR_SYSCALL", "is not a URL, host, code"),
        ] {
            let outcome = try Binary.run(["explain", word], in: folder)
            #expect(outcome.status == 64)
            #expect(outcome.prose.contains(hint) && outcome.prose.contains("https://\(word)"), "\(outcome.prose)")
        }
        #expect(try Binary.run(["explain", "https://foo", "localhost"], in: folder).status == 0)
    }

    @Test("the program contains every page of docs, whole, without its folder, and by its headings")
    func topics() throws {
        let docs = Repository.file("docs")
        for folder in ["", "law/", "questions/", "ci/"] {
            for file in try FileManager.default.contentsOfDirectory(atPath: docs.appending(path: folder).path)
            where file.hasSuffix(".md") && file != "README.md" {
                let name = folder + file.dropLast(3)
                let page = try String(contentsOf: docs.appending(path: folder + file), encoding: .utf8)
                let printed = try Binary.run(["explain", name], in: self.folder)
                #expect(printed.output == page, "\(name)")
                let short = try Binary.run(["explain", String(file.dropLast(3))], in: self.folder)
                #expect(short.output == page, "\(file)")
            }
        }
        let index = try Binary.run(["explain", "topics"], in: folder).output
        #expect(index.contains("law/tls.md"))
        for name in ["ci", "ci/", "ci/README", "docs/ci/README.md"] {
            #expect(try Binary.run(["explain", name], in: folder).output.contains("github-actions.md"), "\(name)")
        }
        let whole = try Binary.run(["explain", "docs/law/tls.md#versions"], in: folder).output
        #expect(whole.hasPrefix("## Versions\n"))
        #expect(!whole.dropFirst(2).contains("\n## "))
        #expect(try Binary.run(["explain", "loaders"], in: folder).output.hasPrefix("# "))
        #expect(try Binary.run(["explain", "law/tls#nothing"], in: folder).status == 64)
    }

    @Test("every topic that the program refers to can be printed")
    func references() throws {
        let rules = try Binary.run(["lint", "--rules"], in: folder).output
        let topics = Set(rules.matches(of: /atsgate explain ([a-z0-9\/#-]+)/).map { String($0.1) })
        #expect(topics.count > 10)
        #expect(!rules.contains("docs/"))
        for topic in topics { #expect(try Binary.run(["explain", topic], in: folder).status == 0, "\(topic)") }
    }
}
