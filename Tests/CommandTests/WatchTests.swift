import Foundation
import Testing

@Suite("watch and the console", .timeLimit(.minutes(10)))
struct WatchTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// A gate that creates its store at the start.
    private func gate(_ options: [String] = [], store: String = "s.sqlite") throws -> Launch {
        let gate = try Launch(
            ["proxy", "--listen", "127.0.0.1:0,label=phone", "--port-file", "port", "--store", store] + options,
            in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty })
        return gate
    }

    private func load(_ url: String) throws {
        let port = folder.read("port").trimmingCharacters(in: .newlines)
        let words = ["curl", "-s", "-x", "http://127.0.0.1:\(port)", "--noproxy", "", "-o", "/dev/null", url]
        #expect(try Binary.tool(words) == 0)
    }

    @Test("another process prints new loads as lines and as records, filtered as in report")
    func live() throws {
        let gate = try gate()
        try load("http://before.example/")
        try #require(gate.waits { gate.said.contains("http://before.example/") })
        let lines = try Launch(["watch", "--store", "s.sqlite"], in: folder)
        let records = try Launch(["watch", "--store", "s.sqlite", "--json", "--host", "b.*"], in: folder)
        for watch in [lines, records] { #expect(watch.waits { watch.said.contains("watching s.sqlite") }) }
        try load("http://a.example/")
        try load("http://b.example/")
        let words = "phone  blocked  ats.cleartext-load  -1022, the app saw HTTP status 403  http://"
        #expect(lines.waits { lines.written.contains(words + "b.example/\n") })
        #expect(records.waits { records.written.contains("http://b.example/") })
        lines.send(SIGINT)
        #expect(lines.wait().status == 0)
        let json = records.stop()
        #expect(json.status == 0)
        #expect(json.output.split(separator: "\n").count == 1 && json.output.hasPrefix(#"{"schema":1,"#))
        #expect(lines.written.contains(words + "a.example/\n") && !lines.written.contains("before.example"))
        #expect(gate.stop().status == 0)
    }

    @Test(
        "with --since, earlier loads are also printed; a file that is not a store is bad input",
        arguments: StoreKind.allCases)
    func since(kind: StoreKind) throws {
        let store = try kind.word()
        let gate = try gate(store: store)
        try load("http://before.example/")
        try #require(gate.waits { gate.said.contains("http://before.example/") })
        let watch = try Launch(["watch", "--store", store, "--since", "1h", "--console", "apple"], in: folder)
        #expect(watch.waits { watch.written.contains("http://before.example/\n") })
        #expect(watch.stop().output.hasPrefix("App Transport Security has blocked a cleartext HTTP connection"))
        #expect(gate.stop().status == 0)
        try folder.write("text", to: "text")
        #expect(try Binary.run(["watch", "--store", "text"], in: folder).status == 65)
    }

    @Test("watch waits for the first recording, prints all of it, and warns of a missing name")
    func waiting() throws {
        let early = try Launch(["watch", "--store", "s.sqlite"], in: folder)
        #expect(early.waits { early.said.contains("nothing recorded yet; waiting for s.sqlite") })
        let gate = try gate(["--recording", "five"])
        try load("http://first.example/")
        #expect(early.waits { early.written.contains("http://first.example/\n") })
        #expect(early.stop().status == 0)
        let other = try Launch(["watch", "--store", "s.sqlite", "--recording", "fiv"], in: folder)
        #expect(other.waits { other.said.contains("there is no recording fiv yet; did you mean five?") })
        #expect(other.stop().status == 0)
        #expect(gate.stop().status == 0)
        let never = try Launch(["watch", "--store", "never.sqlite"], in: folder)
        #expect(never.waits { never.said.contains("waiting for never.sqlite") })
        #expect(never.stop().status == 0)
    }

    @Test(
        "--console none and --quiet print no loads", arguments: [["--console", "none"], ["--quiet"]])
    func silent(options: [String]) throws {
        let gate = try gate(options + ["--json", "loads.jsonl"])
        try load("http://a.example/")
        #expect(gate.waits { folder.read("loads.jsonl").hasSuffix("\n") })
        #expect(!gate.stop().prose.contains("a.example"))
    }
}
