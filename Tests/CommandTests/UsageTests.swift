import Foundation
import Testing

@Suite("Refused command lines", .timeLimit(.minutes(10)))
struct UsageTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test(
        "two recordings are a usage error for commands that need one",
        arguments: [["report"], ["replay"], ["suggest"], ["probe"], ["watch"], ["proxy"], ["run", "--", "true"]])
    func twoRecordings(command: [String]) throws {
        let names = ["--recording", "a", "--recording", "b"]
        let outcome = try Binary.run([command[0]] + names + command.dropFirst(), in: folder)
        #expect(outcome.status == 64 && outcome.prose.contains("--recording"), "\(outcome.prose)")
    }

    @Test(
        "a likely mistake gets the command that was meant",
        arguments: [
            (["version"], "did you mean --version?"), (["proxy", "MyApp.app"], "did you mean --policy MyApp.app?"),
            (["lint", "--policy", "Info.plist"], "name the dictionary itself"),
            (["audit", "--all-os", "a.app"], "explain, probe, replay and suggest have it"),
            (["policy", "pull", "a", "b.json"], "did you mean --output b.json?"),
            (["lint", "--os", "17", "a.plist"], "write a release, as in ios17"),
            (["recordings", "delete", "--older-than", "30"], "write an age: 12h, 30d or 2w"),
            (["doctor", "--listen", "127.0.0.1:1"], "did you mean --gate"),
            (["run", "--baseline", "no.txt", "--", "true"], "--write-baseline no.txt creates it"),
            (["probe", "--timeout", "3", "a.example"], "500ms, 5s, 2m"),
            (["run", "--timeout", "3", "--", "true"], "as in handshake=3s"),
        ])
    func mistakes(arguments: [String], hint: String) throws {
        let outcome = try Binary.run(arguments, in: folder)
        #expect([64, 65].contains(outcome.status) && outcome.prose.contains(hint), "\(outcome.prose)")
    }

    @Test("a release is accepted as reports print it")
    func titles() throws {
        let outcome = try Binary.run(["explain", "--os", "iOS 17", "http://a.example/"], in: folder)
        #expect(outcome.status == 1 && outcome.output.contains("blocked    on iOS 17"))
        let mac = try Binary.run(["probe", "--os", "macOS 15.5", "http://a.example/"], in: folder)
        #expect(mac.output.contains("on macOS 15.5"), "\(mac.prose)")
    }

    @Test("help that cannot be written ends with 74", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDevice() throws {
        for options in ["--help", "probe --help", "help lint", "--version"] {
            #expect(try Binary.tool(["sh", "-c", "'\(Binary.path)' \(options) >/dev/full"]) == 74, "\(options)")
        }
    }

    @Test("an unknown command is a usage error that names the nearest one, or all")
    func unknownCommand() throws {
        for (word, hint) in [
            ("prox", "did you mean proxy?"), ("Explian", "did you mean explain?"),
            ("ca exprt", "did you mean ca export?"),
            ("xyzzy", "lint"),
        ] {
            let outcome = try Binary.run(word.split(separator: " ").map(String.init), in: folder)
            #expect(outcome.status == 64)
            #expect(outcome.prose.contains("unknown command \(word); ") && outcome.prose.contains(hint))
            #expect(outcome.output.isEmpty)
        }
    }

    @Test(
        "a former command names its successor",
        arguments: [
            (["ship", "a.sqlite"], "ship is now: atsgate recordings import SPOOL..."),
            (["uninstall", "--yes"], "uninstall is now: atsgate setup uninstall"),
            (["recordings", "check"], "recordings check is now: atsgate doctor --store FILE"),
            (["recordings", "prune", "--older-than", "1d"], "is now: atsgate recordings delete --older-than AGE"),
            (["recordings", "show"], "recordings list NAME, or atsgate report --recording NAME --by host"),
            (["store", "check"], "store check is now: atsgate doctor --store postgres://"),
            (["help", "store", "roles"], "store roles is now: atsgate store init --roles"),
            (["policy", "show", "release"], "policy show is now: atsgate policy pull NAME"),
        ])
    func formerCommand(arguments: [String], words: String) throws {
        let outcome = try Binary.run(arguments, in: folder)
        #expect(outcome.status == 64 && outcome.prose.contains(words), "\(outcome.prose)")
    }

    @Test(
        "an invalid value is a usage error",
        arguments: [
            ["--listen", "127.0.0.1:65536"], ["--listen", "[127.0.0.1]:80"], ["--connect-to", "a:80:b"],
            ["--connect-to", "a:80:[b]:80"], ["--timeout", "lunch=5s"], ["--timeout", "connect=5s,"],
            ["--drain", "99999999999999999999s"], ["--os", "ios8"],
            ["--assume", "outside"], ["--outside", "block"],
            ["--web", "page.example:9803"], ["--passthrough", "https://a.example"],
            ["--listen", "127.0.0.1:0,assume=outside"],
            ["--listen", "127.0.0.1:0,outside=app"], ["--listen", "127.0.0.1:0,outside=pass,outside=judge"],
            ["--listen", "a=127.0.0.1:0,label=b"],
            ["--listen", "127.0.0.1:0,port=1"], ["--app-pin", "a.example"], ["--app-pin", "a.example=sha256/short"],
            ["--listen", "socks4://127.0.0.1:0"], ["--listen", "socks5://127.0.0.1"], ["--no-parent", "a.example,,b"],
            ["--no-parent", "http://a.example"], ["--client-cert", "client.pem"], ["--client-cert", "a.example="],
            ["--client-cert", "a.example:0=client.pem"], ["--client-cert", "https://a.example=client.pem"],
            ["--app-overrides-trust", "https://a.example"],
        ])
    func wrongValue(arguments: [String]) throws {
        let outcome = try Binary.run(["proxy"] + arguments, in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.prose.contains(arguments[1]))
    }

    @Test(
        "an invalid parent proxy, in an option or a file, is a usage error that repeats no credentials",
        arguments: [
            "proxy.example:3128", "https://reader:secret@proxy.example:3128", "socks5://reader:secret@proxy.example:1",
            "http://reader:secret@proxy.example", "http://reader:secret@proxy.example:0", "http://reader:secret@:3128",
            "http://reader:secret:proxy.example:3128", "http://[secret]:3128", "http://proxy.example:secret",
            "http://reader:secret@proxy.example:3128/path", "http://:secret@proxy.example:3128",
            "http://rea%3Ader:secret@proxy.example:3128", "http://reader:sec%0Aret@proxy.example:3128",
        ])
    func wrongParent(value: String) throws {
        try folder.write("web = off\nparent = \(value)\n", to: "gate.conf")
        for arguments in [["--parent", value], ["--parent=\(value)"], ["--config", "gate.conf"]] {
            let outcome = try Binary.run(["proxy"] + arguments, in: folder)
            #expect(outcome.status == 64)
            #expect(outcome.prose.contains("--parent"), "\(outcome.prose)")
            #expect(!outcome.prose.contains("secret") && !outcome.prose.contains("sec%0Aret"), "\(outcome.prose)")
        }
    }

    @Test("an encrypted or missing client certificate ends the start with 65 and its name")
    func brokenClientCertificate() throws {
        let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        for file in [try folder.write(certificate, to: "client.pem"), "nowhere.pem"] {
            let outcome = try Binary.run(
                ["proxy", "--listen", "127.0.0.1:0", "--client-cert", "a.example=\(file)"], in: folder)
            #expect(outcome.status == 65)
            #expect(outcome.prose.contains(file))
        }
    }

    @Test("a key log that cannot be written ends the start with 74")
    func unwritableKeyLog() throws {
        let outcome = try Binary.run(["proxy", "--listen", "127.0.0.1:0", "--keylog", "no/where.log"], in: folder)
        #expect(outcome.status == 74)
        #expect(outcome.prose.contains("no/where.log"))
    }

    @Test("the error for a time without a unit lists the units")
    func timeWithoutUnit() throws {
        let outcome = try Binary.run(["proxy", "--timeout", "connect=5"], in: folder)
        #expect(outcome.prose.contains("500ms, 5s, 2m or 1h"))
    }

    @Test("a missing policy ends the start with 65 and its name")
    func missingPolicy() throws {
        let outcome = try Binary.run(["proxy", "--policy", "nowhere.plist"], in: folder)
        #expect(outcome.status == 65)
        #expect(outcome.prose.contains("nowhere.plist"))
    }

    @Test("a truncated policy ends the start with 65, its name and the line")
    func truncatedPolicy() throws {
        let path = try folder.write(
            "<plist version=\"1.0\">\n<dict>\n<key>NSAppTransportSecurity</key>\n", to: "cut.plist")
        let outcome = try Binary.run(["proxy", "--policy", path], in: folder)
        #expect(outcome.status == 65)
        #expect(outcome.prose.contains("cut.plist:"))
    }

    @Test("roots without certificates end the start with 65")
    func brokenRoots() throws {
        let path = try folder.write("no certificate", to: "roots.pem")
        let outcome = try Binary.run(["proxy", "--roots", path, "--listen", "127.0.0.1:0"], in: folder)
        #expect(outcome.status == 65)
        #expect(outcome.prose.contains("roots.pem"))
    }

    @Test("a file that is not a database is refused as a store")
    func foreignStore() throws {
        let path = try folder.write(String(repeating: "not a database\n", count: 100), to: "store.sqlite")
        #expect(try Binary.run(["proxy", "--store", path, "--listen", "127.0.0.1:0"], in: folder).status == 65)
        #expect(try Binary.run(["report", "--store", path], in: folder).status == 65)
    }

    @Test("an unreadable certificate to pin ends the start with 65 and its name")
    func brokenPin() throws {
        let path = try folder.write("no certificate", to: "pin.cer")
        for file in [path, "nowhere.cer"] {
            let outcome = try Binary.run(["proxy", "--app-pin", "a.example=\(file)"], in: folder)
            #expect(outcome.status == 65)
            #expect(outcome.prose.contains(file))
        }
    }

    @Test("a port in use ends the start with 69")
    func portInUse() throws {
        let first = try Launch(["proxy", "--listen", "127.0.0.1:0", "--port-file", "port"], in: folder)
        #expect(first.waits { !folder.read("port").isEmpty })
        let port = folder.read("port").trimmingCharacters(in: .newlines)
        let second = try Binary.run(["proxy", "--listen", "127.0.0.1:\(port)"], in: folder)
        #expect(second.status == 69)
        #expect(second.prose.contains(port))
        #expect(first.stop().status == 0)
    }

    private static let wrong: [([String], Int32)] = [
        (["proxy", "--polcy", "a"], 64), (["report", "--format", "nope"], 64), (["run"], 64),
        (["report", "--since", "yesterday"], 64), (["proxy", "--os", "ios99"], 64), (["help", "ca", "nonsense"], 64),
        (["report"], 65), (["probe", "--input", "nope"], 65), (["proxy", "--listen", "8.8.8.8:9802"], 64),
        (["proxy", "--listen", "8.8.8.8:9802", "--allow-lan"], 64),
    ]

    @Test("every error begins in the same way, and a usage error names the help", arguments: wrong)
    func style(words: [String], status: Int32) throws {
        let outcome = try Binary.run(words, in: folder)
        #expect(outcome.status == status)
        #expect(outcome.output.isEmpty)
        let lines = outcome.prose.split(separator: "\n")
        #expect(lines.first?.hasPrefix("atsgate: error: ") == true, "\(outcome.prose)")
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("atsgate: help: atsgate ") }, "\(outcome.prose)")
        #expect(!outcome.prose.contains("couldn") && !outcome.prose.contains("could not be completed"))
    }

    @Test("the error states the expected value")
    func sentences() throws {
        for (words, sentence) in [
            (["report", "--since", "yesterday"], "an age, as in 30m, 1h, 7d or 2w, or a date"),
            (["report", "--format", "nope"], "text, markdown, html, json"),
            (["proxy", "--listen", "8.8.8.8:9802"], "not an address of this machine"),
            (["report"], "atsgate proxy and atsgate run create it"),
        ] {
            let outcome = try Binary.run(words, in: folder)
            #expect(outcome.prose.contains(sentence), "\(outcome.prose)")
        }
    }

    @Test("a port of another gate is reported as such, the page uses the next port, and listeners show their release")
    func takenPorts() throws {
        let first = try Launch(
            [
                "proxy", "--listen", "127.0.0.1:0,label=old,os=ios12", "--port-file", "port", "--web", "127.0.0.1:0",
                "--web-url-file", "web",
            ], in: folder)
        try #require(first.waits { !folder.read("web").isEmpty && !folder.read("port").isEmpty })
        #expect(first.said.contains(" (old, as iOS 12)\n"))
        let port = folder.read("port").trimmingCharacters(in: .newlines)
        let second = try Binary.run(["proxy", "--listen", "127.0.0.1:\(port)", "--web", "off"], in: folder)
        #expect(second.status == 69)
        #expect(second.prose.contains("in use by another atsgate, which enforces secure defaults"), "\(second.prose)")
        let web = try #require(folder.read("web").firstMatch(of: /127\.0\.0\.1:(\d+)/)?.1)
        let third = try Launch(
            ["proxy", "--listen", "127.0.0.1:0", "--web", "127.0.0.1:\(web)", "--port-file", "port3"], in: folder)
        #expect(third.waits { third.said.contains("note: port \(web) is in use, so the page is on port ") })
        #expect(third.stop().status == 0)
        #expect(first.stop().status == 0)
    }

    @Test("lint, doctor, explain and replay use colours on a terminal, except with NO_COLOR")
    func colours() throws {
        try folder.write(#"{"NSAllowsArbitraryLoads": false, "NSTypo": true}"#, to: "p.json")
        for words in [["lint", "p.json"], ["doctor", "--gate", "127.0.0.1:1"], ["explain", "http://a.example/"]] {
            #expect(try Terminal.run(words, in: folder).output.contains("\u{1B}["))
            #expect(!(try Terminal.run(words, in: folder, environment: ["NO_COLOR": "1"])).output.contains("\u{1B}["))
        }
        _ = try Binary.run(["run", "-q", "--", "curl", "-s", "-o", "/dev/null", "http://a.invalid/"], in: folder)
        try folder.write(#"{"NSAllowsArbitraryLoads": true}"#, to: "free.json")
        let replay = try Terminal.run(["replay", "--policy", "free.json"], in: folder).output
        #expect(replay.contains("\u{1B}[32mNEWLY ALLOWED\u{1B}[0m (1)"), "\(replay)")
    }

    @Test("the text of a report fits a terminal's width")
    func width() throws {
        _ = try Binary.run(["run", "-q", "--", "curl", "-s", "-o", "/dev/null", "http://a.invalid/"], in: folder)
        let command = "stty cols 60; '\(Binary.path)' report; true"
        let outcome = try Terminal.run(command: command, in: folder, environment: ["NO_COLOR": "1"])
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.contains { $0.contains("NSExceptionAllowsInsecureHTTPLoads") })
        let long = lines.filter { $0.count > 60 && !$0.hasPrefix("atsgate: ") && $0.split(separator: " ").count > 2 }
        #expect(long.isEmpty, "\(long)")
    }
}
