import Foundation
import Testing

/// A run that judged no load is not a success, and never reports the verdict of another run.
@Suite("Runs without a judged load", .timeLimit(.minutes(10)))
struct EmptyRunTests {
    let folder: Folder
    private let lab: Launch

    init() throws {
        folder = try Folder()
        lab = try Launch.lab(in: folder)
    }

    private func run(_ options: [String], _ script: String) throws -> Binary.Outcome {
        try Binary.run(
            ["run", "--config", "lab.conf", "--store", "s.sqlite"] + options + ["--", "sh", "-c", script], in: folder)
    }

    private func report(_ options: [String]) throws -> Binary.Outcome {
        try Binary.run(["report", "--store", "s.sqlite"] + options, in: folder)
    }

    /// Runs a gate that no client connects to.
    private func proxy(_ options: [String]) throws {
        try? FileManager.default.removeItem(atPath: folder.path("port"))
        let gate = try Launch(
            ["proxy", "-q", "--store", "s.sqlite", "--listen", "127.0.0.1:0", "--port-file", "port", "--web", "off"]
                + options, in: folder)
        #expect(gate.waits { !folder.read("port").isEmpty })
        #expect(gate.stop().status == 0)
    }

    @Test("a recording begins with its gate: the report of an empty one is not that of the previous one")
    func empty() throws {
        #expect(try run(["--recording", "one"], "curl -s -o /dev/null https://good.lab.test/").status == 0)
        #expect(try report(["--fail-on", "blocked"]).status == 0)
        try proxy([])
        for options in [[], ["--fail-on", "blocked"], ["--format", "junit"]] {
            let outcome = try report(options)
            #expect(outcome.status == 3)
            #expect(outcome.prose.contains(": no load came through\n"))
            #expect(!outcome.output.contains("good.lab.test"))
        }
        try proxy(["--recording", "run2"])
        let named = try report(["--recording", "run2", "--format", "junit"])
        #expect(named.status == 3 && named.prose.contains("recording run2: no load came through"))
        #expect(named.output.contains("<error type=\"nothing-judged\" message=\"no load came through the gate"))
        #expect(try report(["--recording", "one"]).status == 0)
        let listed = try Binary.run(["recordings", "list", "--store", "s.sqlite"], in: folder)
        #expect(listed.output.contains("run2"))
        for command in [["replay", "--os", "ios17"], ["suggest"]] {
            let outcome = try Binary.run(command + ["--store", "s.sqlite"], in: folder)
            #expect(outcome.status == 3 && outcome.prose.contains("recording run2: no load came through"))
        }
    }

    @Test("a run whose loads all failed on the network ends with 3")
    func unreached() throws {
        let names = ["--connect-to", "gone.test:443:127.0.0.1:1", "--report", "junit=r.xml"]
        let outcome = try run(["-q"] + names, "curl -s https://gone.test/; true")
        #expect(outcome.status == 3)
        #expect(outcome.prose.contains("every load failed on the network, so nothing was judged"))
        #expect(folder.read("r.xml").contains("failures=\"0\" errors=\"1\" skipped=\"1\""))
        #expect(try report([]).status == 3)
        #expect(try run(["-q", "--allow-no-loads"] + names, "curl -s https://gone.test/; true").status == 0)
        #expect(folder.read("r.xml").contains("errors=\"0\""))
        // One judged load is enough.
        let both = "curl -s https://gone.test/; curl -s -o /dev/null https://good.lab.test/"
        #expect(try run(["-q"] + names, both).status == 0)
    }

    @Test("the report explains how to trust the gate if a client rejects its certificates")
    func certificatesRefused() throws {
        let roots = ["/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem"]
        let other = try #require(roots.first { FileManager.default.fileExists(atPath: $0) })
        let outcome = try run([], "curl -s --cacert \(other) https://good.lab.test/; true")
        #expect(outcome.status == 3)
        #expect(outcome.prose.contains("the client rejected the gate's certificate, so nothing was judged"))
        #expect(outcome.prose.contains("atsgate ca export"))
        #expect(!outcome.prose.contains("broke on the network or at its server"))
    }

    @Test(
        "clients that disconnect before the response, or during an allowed load, are reported as disconnected",
        arguments: ["slow?ms=10000", "bytes/1000000000"])
    func clientsLeft(path: String) throws {
        let words = "every client disconnected before its load ended, so nothing was judged"
        let cut = "curl -s -m 1 --limit-rate 10k -o /dev/null https://good.lab.test/\(path); true"
        let outcome = try run(["-q", "--report", "junit=r.xml"], cut)
        #expect(outcome.status == 3)
        #expect(outcome.prose.contains(words + ": make the command wait for its loads"), "\(outcome.prose)")
        #expect(folder.read("r.xml").contains(words))
        let mixed = cut + "; curl -s https://gone.test/; true"
        let broken = try run(["-q", "--connect-to", "gone.test:443:127.0.0.1:1"], mixed)
        #expect(broken.status == 3)
        #expect(broken.prose.contains("no load was completed, so nothing was judged"), "\(broken.prose)")
    }

    @Test("loads that no device could complete are reported first and fail the run, but not with --fail-on blocked")
    func failedOnDevice() throws {
        let load = "curl -s https://closes.lab.test/; true"
        let words = "failed on iOS 27: tls.closed -1200 [3:-9816]"
        let outcome = try run(
            ["--report", "junit=r.xml", "--report", "markdown=r.md", "--report", "html=r.html"], load)
        #expect(outcome.status == 1)
        #expect(outcome.prose.contains("atsgate: 1 load: 1 failed (1 on a device, too)\n"))
        #expect(outcome.prose.contains("probe  " + words))
        #expect(folder.read("r.xml").contains(words) && folder.read("r.html").contains(words))
        #expect(folder.read("r.md").hasPrefix("### atsgate: 1 failed (1 on a device, too) of 1 loads\n"))
        #expect(folder.read("r.xml").contains("<failure type=\"tls.closed\""))
        #expect(try run(["--exit-zero"], load).status == 3, "no load was judged")
        let blocked = try run(["-q", "--fail-on", "blocked", "--report", "junit=r.xml"], load)
        #expect(blocked.status == 3)
        #expect(folder.read("r.xml").contains("<skipped message=\"failed, not counted"))
        let probe = try Binary.run(
            ["probe", "--config", "lab.conf", "--os", "ios27", "closes.lab.test"], in: folder)
        #expect(probe.status == 1)
        #expect(probe.output.contains("on iOS 27: tls.closed -1200 [3:-9816]"))
    }

    @Test("a status belongs to its load: two loads in a second are two lines, and a load that failed in TLS has none")
    func statuses() throws {
        let loads = """
            curl -s -o /dev/null https://good.lab.test/ -o /dev/null https://good.lab.test/nope
            curl -s https://rsa-kx.lab.test/; true
            """
        let outcome = try run(["--console", "short", "--json", "r.jsonl"], loads)
        #expect(outcome.status == 1)
        #expect(outcome.prose.contains("allowed  200  ") && outcome.prose.contains("allowed  404  "))
        let blocked = folder.read("r.jsonl").split(separator: "\n").filter { $0.contains("\"verdict\":\"blocked\"") }
        #expect(blocked.count == 1 && blocked.allSatisfy { $0.contains("\"status\":null") })
    }
}
