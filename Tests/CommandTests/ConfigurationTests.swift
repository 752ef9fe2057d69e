import Foundation
import Testing

@Suite("Configuration files", .timeLimit(.minutes(10)))
struct ConfigurationTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test("an unknown key is a usage error with file, line and the nearest option")
    func unknownKey() throws {
        try folder.write("# a comment\n\nconect-to = a:80:b:80\n", to: "gate.conf")
        let outcome = try Binary.run(["proxy", "--config", "gate.conf"], in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.prose.contains("gate.conf:3:"))
        #expect(outcome.prose.contains("\"connect-to\""))
    }

    @Test(
        "a value that the command line would refuse is refused with file and line",
        arguments: ["drain = 5", "allow-lan = yes", "policy =", "config = other.conf"])
    func wrongLine(line: String) throws {
        try folder.write("web = off\n\(line)\n", to: "gate.conf")
        let outcome = try Binary.run(["--config", "gate.conf"], in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.prose.contains("gate.conf:2:"))
    }

    @Test("a line may be an option as on the command line, and its errors have file and line, too")
    func argumentLines() throws {
        try folder.write("--os ios18.4\n--mode=audit # not yet\n--verbose\n--store none\nweb = off\n", to: "gate.conf")
        let gate = try Launch(
            ["--config", "gate.conf", "--listen", "127.0.0.1:0", "--port-file", "port"], in: folder)
        #expect(gate.waits { !folder.read("port").isEmpty })
        #expect(gate.stop().prose.contains("(ios18.4), audit"))
        for (line, hint) in [
            ("--drain 5", "gate.conf:1: the value '5' is invalid for '--drain <time>': a time is"),
            ("--polcy a", "did you mean \"policy\"?"), ("--policy", "policy needs a value"),
            ("--fail-on none", "--fail-on works only on the command line"),
            ("strict-ip = maybe", "write one of on, off"),
        ] {
            try folder.write(line + "\n", to: "gate.conf")
            let outcome = try Binary.run(["proxy", "--config", "gate.conf"], in: folder)
            #expect(outcome.status == 64, "\(line)")
            #expect(outcome.prose.contains("gate.conf:1: ") && outcome.prose.contains(hint), "\(outcome.prose)")
        }
    }

    @Test("a command uses the lines that mean the same for it, and the others are still checked")
    func otherCommands() throws {
        // probe has another --timeout and another --recording, and accepts several releases.
        try folder.write(
            "os = auto\ntimeout = head=3s\nrecording = gate\njson = a.jsonl\nquiet = true\n", to: "gate.conf")
        let policy = try folder.write(#"{"NSAllowsArbitraryLoads": true}"#, to: "app.json")
        let probe = ["probe", "--config", "gate.conf", "http://a.test/", "--policy", policy]
        let plain = try Binary.run(probe, in: folder)
        #expect(plain.status == 0 && !plain.output.isEmpty && !plain.output.hasPrefix("{"), "\(plain.prose)")
        try folder.write("os = ios12\n", to: "gate.conf")
        #expect(try Binary.run(probe, in: folder).output.contains("iOS 12"))
        let replaced = try Binary.run(probe + ["--os", "ios17"], in: folder).output
        #expect(replaced.contains("iOS 17") && !replaced.contains("iOS 12"))
        try folder.write("listen = nowhere\n", to: "gate.conf")
        #expect(try Binary.run(probe, in: folder).prose.contains("gate.conf:1: "))
    }

    @Test("a missing configuration file is bad input")
    func missingFile() throws {
        let outcome = try Binary.run(["proxy", "--config", "nowhere.conf"], in: folder)
        #expect(outcome.status == 65)
        #expect(outcome.prose.contains("nowhere.conf"))
    }

    @Test("the command line overrides the file, and its listen addresses replace those of the file")
    func commandLineWins() throws {
        try folder.write(
            "os = ios18.4\nmode = audit # not yet\nlisten = 127.0.0.1:1\nquiet = true\nstore = none\n", to: "gate.conf")
        let gate = try Launch(
            ["proxy", "--config", "gate.conf", "--os", "macos26", "--verbose", "--listen", "127.0.0.1:0"]
                + ["--port-file", "port"], in: folder)
        #expect(gate.waits { !folder.read("port").isEmpty })
        let outcome = gate.stop()
        #expect(outcome.status == 0)
        #expect(outcome.prose.contains("(macos26), audit"))
        #expect(!outcome.prose.contains("127.0.0.1:1\n"))
    }

    @Test("the sample in config equals the output of --sample-config, and every line of it is accepted")
    func sampleIsGenerated() throws {
        let sample = try String(contentsOf: Repository.file("config/atsgate.conf"), encoding: .utf8)
        let printed = try Binary.run(["proxy", "--sample-config"], in: folder)
        #expect(printed.status == 0 && printed.output == sample, "atsgate proxy --sample-config > config/atsgate.conf")
        let lines = sample.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^#([a-z0-9-]+) = (.+)$/).map { (name: String($0.1), value: String($0.2)) }
        }
        #expect(lines.count == sample.split(separator: "\n").count { !$0.hasPrefix("# ") })
        let text = lines.map { "\($0.name) = \($0.value)\n" }.joined()
        try folder.write(text + "the end", to: "gate.conf")
        let outcome = try Binary.run(["proxy", "--config", "gate.conf"], in: folder)
        #expect(outcome.prose.contains("gate.conf:\(lines.count + 1): unknown option"))
    }
}
