import Foundation
import Testing

/// An option is declared once, so the command line, files, the environment and the help must agree.
@Suite("Options", .timeLimit(.minutes(10)))
struct OptionTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// The long option names at the start of help lines.
    private func options(_ arguments: [String]) throws -> Set<String> {
        let help = try Binary.run(arguments, in: folder)
        #expect(help.status == 0 && help.prose.isEmpty)
        return Set(
            help.output.matches(of: /^ +(?:-[a-z], )?--([a-z0-9-]+)/.anchorsMatchLineEndings()).map { String($0.1) })
    }

    @Test("--help shows the fifteen most used options, --help-hidden every option that a file may contain")
    func helps() throws {
        let own: Set = [
            "help", "help-hidden", "version", "sample-config", "exit-zero", "baseline", "write-baseline", "fail-on",
            "fail-on-difference", "allow-no-loads", "annotate", "capture", "capture-ports",
        ]
        #expect(try options(["proxy", "--help"]).subtracting(own).count == 15)
        let sample = try String(contentsOf: Repository.file("config/atsgate.conf"), encoding: .utf8)
        let names = Set(
            sample.split(separator: "\n").compactMap { $0.firstMatch(of: /^#([a-z0-9-]+) = .+$/).map { String($0.1) } })
        for command in ["proxy", "run"] {
            #expect(try options([command, "--help-hidden"]).subtracting(own) == names.union(["config"]))
        }
        #expect(try options(["--help-hidden"]).isSuperset(of: names))
        #expect(try options(["explain", "--help-hidden"]).isSuperset(of: ["policy", "os", "reading", "all-os"]))
    }

    @Test("--help-hidden after -- belongs to the command of run")
    func helpOfCommand() throws {
        let outcome = try Binary.run(["run", "--store", "none", "--", "echo", "--help-hidden"], in: folder)
        #expect(outcome.output == "--help-hidden\n")
    }

    /// The words of each command and subcommand.
    private func commands(_ facts: [String: Any], after words: [String] = []) -> [[String]] {
        let inner = facts["subcommands"] as? [[String: Any]] ?? []
        return [words]
            + inner.flatMap { command in
                (command["commandName"] as? String).map { commands(command, after: words + [$0]) } ?? []
            }
    }

    @Test("the help of each command fits a screen of 40 lines and 80 columns; details are in --help-hidden")
    func helpFits() throws {
        let dump = try Binary.run(["--experimental-dump-help"], in: folder).output
        let facts = try #require(try JSONSerialization.jsonObject(with: Data(dump.utf8)) as? [String: Any])
        let commands = commands(try #require(facts["command"] as? [String: Any])).filter { !$0.contains("help") }
        #expect(commands.count > 40)
        for command in commands {
            let lines = try Binary.run(command + ["--help"], in: folder, environment: ["COLUMNS": "80"]).output
                .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            #expect(lines.count <= 40 && lines.allSatisfy { $0.count <= 80 }, "\(command): \(lines.count)")
        }
        let recordings = try Binary.run(["recordings", "import", "--help-hidden"], in: folder).output
        #expect(recordings.contains("USAGE: atsgate recordings import"))
        #expect(
            try Binary.run(["proxy", "--help-hidden"], in: folder).output.contains("(atsgate explain lint#places)"))
    }

    @Test("the environment overrides the file, and the command line overrides both")
    func environment() throws {
        try folder.write("os = ios18.4\nmode = audit\nlisten = 127.0.0.1:1\nstore = none\n", to: "gate.conf")
        let gate = try Launch(
            ["proxy", "--os", "macos26"], in: folder,
            environment: [
                "ATSGATE_CONFIG": "gate.conf", "ATSGATE_OS": "ios17", "ATSGATE_MODE": "enforce",
                "ATSGATE_LISTEN": "127.0.0.1:0\ntv=127.0.0.1:0", "ATSGATE_PORT_FILE": "port",
            ])
        #expect(gate.waits { folder.read("port").split(separator: "\n").count == 2 })
        let outcome = gate.stop()
        #expect(outcome.status == 0)
        #expect(outcome.prose.contains("(macos26), enforce") && outcome.prose.contains("(tv)"))
        #expect(outcome.prose.contains("no store") && !outcome.prose.contains("127.0.0.1:1\n"))
    }

    @Test(
        "an invalid or misspelt option variable is a usage error; variables of others are ignored",
        arguments: [
            ("ATSGATE_OS", "ios8", "ATSGATE_OS: "), ("ATSGATE_ALLOW_LAN", "yes", "ATSGATE_ALLOW_LAN: "),
            ("ATSGATE_POLCY", "a.plist", "ATSGATE_POLICY?"), ("ATSGATE_PARENT", "http://a:secret@b", "--parent"),
        ])
    func wrongVariable(name: String, value: String, hint: String) throws {
        let outcome = try Binary.run(
            ["run", "--store", "none", "--", "true"], in: folder,
            environment: [name: value, "ATSGATE_SERVICE_HOST": "10.0.0.1"])
        #expect(outcome.status == 64)
        #expect(outcome.prose.contains(hint) && !outcome.prose.contains("secret"))
        let others = ["ATSGATE_SERVICE_HOST": "10.0.0.1", "ATSGATE_CA": "ca.pem"]
        let run = ["run", "--store", "none", "--allow-no-loads", "--", "true"]
        #expect(try Binary.run(run, in: folder, environment: others).status == 0)
    }

    @Test(
        "--host, --connect-to and --passthrough match any spelling of a host; an invalid host is refused"
    )
    func hostSpellings() throws {
        let script = "curl -s -o /dev/null http://xn--bcher-kva.test:81/ http://b.test:82/ || true"
        let run = [
            "run", "--store", "s.sqlite", "--fail-on", "none", "--connect-to", "B\u{FC}cher.Test.:81:127.0.0.1:1",
            "--passthrough", "*.b\u{FC}cher.test", "--", "sh", "-c", script,
        ]
        #expect(try Binary.run(run, in: folder).status != 64)
        for host in ["b\u{FC}cher.test", "B\u{DC}CHER.TEST.", "xn--bcher-*"] {
            let found = try Binary.run(
                ["report", "--store", "s.sqlite", "--host", host, "--format", "jsonl"], in: folder)
            #expect(found.output.split(separator: "\n").count == 1, "\(host): \(found.output) \(found.prose)")
        }
        for option in ["--host", "--passthrough", "--connect-to"] {
            for host in ["https", "a b", "a..test"] {
                let value = option == "--connect-to" ? "\(host):1::" : host == "https" ? "https://a.test/" : host
                let outcome = try Binary.run(
                    option == "--host"
                        ? ["report", option, value] : ["run", "--store", "none", option, value, "--", "true"],
                    in: folder)
                guard host != "https" || option != "--connect-to" else { continue }
                #expect(outcome.status == 64 && outcome.prose.contains("host"), "\(option) \(value): \(outcome.prose)")
            }
        }
    }

    @Test(
        "options that decide the exit code work only on the command line; elsewhere they are refused with the reason",
        arguments: [("fail-on", "none"), ("exit-zero", "true"), ("allow-no-loads", "true"), ("baseline", "base.txt")])
    func judgingOption(name: String, value: String) throws {
        let variable = "ATSGATE_" + name.uppercased().replacingOccurrences(of: "-", with: "_")
        let run = ["run", "--store", "none", "--allow-no-loads", "--", "true"]
        let outcome = try Binary.run(run, in: folder, environment: [variable: value])
        #expect(outcome.status == 64)
        #expect(outcome.prose.contains("\(variable) has no effect; --\(name) works only on the command line"))
        #expect(try Binary.run(run, in: folder, environment: [variable: ""]).status == 0)
        #expect(try Binary.run(["report"], in: folder, environment: [variable: value]).status == 64)
        try folder.write("\(name) = \(value)\n", to: "gate.conf")
        let file = try Binary.run(["proxy", "--config", "gate.conf"], in: folder)
        #expect(file.status == 64)
        #expect(
            file.prose.contains("gate.conf:1: \(name) cannot be set in a file; --\(name) works only"), "\(file.prose)")
    }

    @Test("the same variables apply to explain, ca and report")
    func otherCommands() throws {
        let policy = try folder.write(#"{"NSAllowsArbitraryLoads": true}"#, to: "app.json")
        let explained = try Binary.run(
            ["explain", "http://example.com/"], in: folder, environment: ["ATSGATE_POLICY": policy])
        #expect(explained.status == 0)
        let shown = try Binary.run(["ca", "show"], in: folder, environment: ["ATSGATE_CA_DIR": "own"])
        #expect(shown.output.contains("own/ca-cert.pem"))
        let report = try Binary.run(["report"], in: folder, environment: ["ATSGATE_STORE": "nowhere.sqlite"])
        #expect(report.status == 65 && report.prose.contains("nowhere.sqlite"))
    }

    @Test("a single-value option given twice in one place is refused; an override from another place is accepted")
    func twice() throws {
        let policies = ["a.json", "b.json"].flatMap { ["--policy", $0] }
        for command in [["explain", "https://a.test/"], ["run", "--", "true"]] {
            let outcome = try Binary.run([command[0]] + policies + command.dropFirst(), in: folder)
            #expect(outcome.status == 64, "\(outcome.prose)")
            #expect(outcome.prose.contains("--policy is given twice; it takes one value"), "\(outcome.prose)")
        }
        let formats = try Binary.run(["report", "--format", "json", "--format=text"], in: folder)
        #expect(formats.status == 64 && formats.prose.contains("--format is given twice"), "\(formats.prose)")
        let help = try Binary.run(["report", "--format", "json", "--format=text", "--help"], in: folder)
        #expect(help.status == 0)
        try folder.write("console = none\nconsole = short\n", to: "gate.conf")
        let file = try Binary.run(["--config", "gate.conf"], in: folder)
        #expect(file.status == 64 && file.prose.contains("gate.conf:2: --console is given twice"), "\(file.prose)")
        let policy = try folder.write(#"{"NSAllowsArbitraryLoads": true}"#, to: "app.json")
        let explained = try Binary.run(
            ["explain", "--policy", policy, "http://example.com/"], in: folder,
            environment: ["ATSGATE_POLICY": "none.json"])
        #expect(explained.status == 0, "\(explained.prose)")
    }

    @Test("--timeout adds up, and of --quiet and --verbose the last one counts")
    func combined() throws {
        try folder.write("timeout = connect=1h\nquiet = true\nallow-lan = true\n", to: "gate.conf")
        let gate = try Launch(
            ["--config", "gate.conf", "--listen", "127.0.0.1:0", "--port-file", "port", "--store", "none"]
                + ["--timeout", "head=1h", "--timeout", "idle=1h", "--verbose"], in: folder,
            environment: ["ATSGATE_ALLOW_LAN": "false", "ATSGATE_WEB": "0.0.0.0:0"])
        let outcome = gate.wait()
        #expect(outcome.status == 64 && outcome.prose.contains("--allow-lan"), "\(outcome.prose)")
        let quiet = try Launch(
            ["--config", "gate.conf", "--listen", "127.0.0.1:0", "--port-file", "port", "--store", "none", "-v", "-q"],
            in: folder)
        #expect(quiet.waits { !folder.read("port").isEmpty })
        #expect(quiet.stop().prose.isEmpty)
    }

    @Test("the command that the page offers has the gate's options of the command line, without addresses and secrets")
    func pageCommand() throws {
        let script = #"""
            url=$(cat page)
            curl -s --noproxy '*' -H "Authorization: Bearer ${url#*token=}" "${url%%/\?*}/api/v1/state"
            """#
        let outcome = try Binary.run(
            ["run", "--fail-on", "none", "-v", "--os=iOS 17", "--strict-ip", "on", "--web", "127.0.0.1:0"]
                + ["--web-url-file", "page", "--store", "none", "--parent", "http://a:secret@127.0.0.1:1", "--listen"]
                + ["127.0.0.1:0", "--app-overrides-trust", "--passthrough", "*.a.test", "--", "sh", "-c", script],
            in: folder)
        let state = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        let command =
            "atsgate proxy -v --os='iOS 17' --reading strict-ip=on --app-overrides-trust --passthrough '*.a.test'"
        #expect(state?["command"] as? String == command, "\(outcome.output) \(outcome.prose)")
    }

    @Test("a variable applies only to options that mean the same")
    func sameMeaning() throws {
        let environment = [
            "ATSGATE_RECORDING": "nowhere", "ATSGATE_TIMEOUT": "head=3s", "ATSGATE_JSON": "a.jsonl",
            "ATSGATE_STRICT_IP": "on",
        ]
        let probe = try Binary.run(["probe", "http://a.test/"], in: folder, environment: environment)
        #expect(probe.status == 1, "\(probe.prose)")
        let explained = try Binary.run(
            ["explain", "--os", "ios17", "http://10.0.0.1/"], in: folder, environment: environment)
        #expect(explained.status == 1 && explained.output.contains("strict-ip=off"), "\(explained.output)")
    }

    @Test("a line of the file is checked even if the command line replaces it")
    func replacedLine() throws {
        try folder.write("listen = nowhere\n", to: "gate.conf")
        let outcome = try Binary.run(["--config", "gate.conf", "--listen", "127.0.0.1:0"], in: folder)
        #expect(outcome.status == 64 && outcome.prose.contains("gate.conf:1: "))
    }

    @Test("a build number is not a release, and the error explains it", arguments: ["24A435", "23F77", "24A5355q"])
    func build(number: String) throws {
        let outcome = try Binary.run(["explain", "--os", number, "https://a.example/"], in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.prose.contains("\(number) is a build number"), "\(outcome.prose)")
    }
}
