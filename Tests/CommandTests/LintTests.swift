import Foundation
import Testing

@Suite("lint", .timeLimit(.minutes(10)))
struct LintTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func plist(_ members: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        <dict>
            <key>NSAppTransportSecurity</key>
            <dict>
                \(members)
            </dict>
        </dict>
        </plist>
        """
    }

    @Test("a finding is written in compiler style, with line and column, and ends lint with 1")
    func position() throws {
        try folder.write(plist("<key>NSAllowArbitraryLoads</key><true/>"), to: "Info.plist")
        let outcome = try Binary.run(["lint", "Info.plist"], in: folder)
        #expect(outcome.status == 1)
        #expect(
            outcome.output == """
                Info.plist:6:9: error: NSAllowArbitraryLoads is not a known ATS key; did you mean \
                NSAllowsArbitraryLoads? [lint.unknown-key]\n
                """)
        #expect(outcome.prose.contains("1 error, 0 warnings, 0 notes in 1 file"))
    }

    @Test("warnings fail only with --fail-on warning, and errors do not with --fail-on none")
    func threshold() throws {
        let warned = try folder.write(plist("<key>NSAllowsLocalNetworking</key><false/>"), to: "warned.plist")
        #expect(try Binary.run(["lint", warned], in: folder).status == 0)
        #expect(try Binary.run(["lint", "--fail-on", "warning", warned], in: folder).status == 1)
        let wrong = try folder.write(plist("<key>NSAllowArbitraryLoads</key><true/>"), to: "wrong.plist")
        #expect(try Binary.run(["lint", "--fail-on", "none", wrong], in: folder).status == 0)
    }

    @Test("a dictionary that turns ATS off has that as its first line, and fails if warnings or notes do")
    func off() throws {
        let members =
            "<key>NSExceptionDomains</key><dict><key>a.com</key><dict/></dict>\n"
            + "<key>NSAllowsArbitraryLoads</key><true/>"
        try folder.write(plist(members), to: "Info.plist")
        let plain = try Binary.run(["lint", "Info.plist"], in: folder)
        #expect(plain.status == 0)
        #expect(plain.output.hasPrefix("Info.plist:7:1: warning: ATS is off for every host without an entry"))
        let strict = try Binary.run(["lint", "--strict", "Info.plist"], in: folder)
        #expect(strict.status == 1 && strict.output.hasPrefix("Info.plist:7:1: error: ATS is off"))
        #expect(try Binary.run(["lint", "--fail-on", "warning", "Info.plist"], in: folder).status == 1)
        let noted = try folder.write(plist("<key>NSAllowsArbitraryLoadsForMedia</key><true/>"), to: "noted.plist")
        #expect(try Binary.run(["lint", "--fail-on", "warning", noted], in: folder).status == 0)
        #expect(try Binary.run(["lint", "--fail-on", "note", noted], in: folder).status == 1)
    }

    @Test("an extension without the exceptions of its app gets a note")
    func extensions() throws {
        let appex = folder.url.appending(path: "My.app/PlugIns/Share.appex")
        try FileManager.default.createDirectory(at: appex, withIntermediateDirectories: true)
        try folder.write(plist("<key>NSAllowsArbitraryLoads</key><true/>"), to: "My.app/Info.plist")
        try folder.write(plist(""), to: "My.app/PlugIns/Share.appex/Info.plist")
        let outcome = try Binary.run(["lint", "My.app"], in: folder)
        #expect(
            outcome.output.contains(
                "Share.appex/Info.plist:4:5: note: this extension has its own dictionary, without")
        )
        #expect(outcome.output.contains("its app: NSAllowsArbitraryLoads; "))
    }

    @Test("a dictionary without faults prints nothing, also from standard input")
    func silence() throws {
        let path = Repository.file("config/dictionaries/react-native.plist").path
        let outcome = try Binary.run(["lint", "--fail-on", "warning", path], in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(try Binary.run(["lint", "-"], in: folder, input: "{}").status == 0)
    }

    @Test("the app and the extension of a bundle are checked separately")
    func bundle() throws {
        let app = folder.url.appending(path: "My.app")
        let appex = app.appending(path: "PlugIns/Share.appex")
        try FileManager.default.createDirectory(at: appex, withIntermediateDirectories: true)
        try folder.write(plist(""), to: "My.app/Info.plist")
        try folder.write(plist("<key>NSAllowArbitraryLoads</key><true/>"), to: "My.app/PlugIns/Share.appex/Info.plist")
        let outcome = try Binary.run(["lint", "My.app"], in: folder)
        #expect(outcome.output.hasPrefix("My.app/PlugIns/Share.appex/Info.plist:6:9: error: "))
        #expect(outcome.prose.contains("in 2 files"))
    }

    @Test("findings in standard input have lines and columns, as in a file")
    func positionInInput() throws {
        let text = plist("<key>NSAllowArbitraryLoads</key><true/>")
        #expect(try Binary.run(["lint", "-"], in: folder, input: text).output.hasPrefix("-:6:9: error: "))
    }

    @Test("--os decides which findings apply")
    func systems() throws {
        let text = #"{"NSExceptionDomains": {"a.com": {"NSExceptionMinimumTLSVersion": "TLSv1.0"}}}"#
        #expect(try Binary.run(["lint", "--os", "ios26", "-"], in: folder, input: text).status == 1)
        #expect(try Binary.run(["lint", "--os", "ios17..ios26", "-"], in: folder, input: text).status == 0)
        #expect(try Binary.run(["lint", "--os", "ios26..ios17", "-"], in: folder, input: text).status == 64)
    }

    @Test("--output gets the report, and a path that cannot be written ends lint with 74")
    func output() throws {
        try folder.write(plist("<key>NSAllowArbitraryLoads</key><true/>"), to: "Info.plist")
        let sarif = ["lint", "--format", "sarif", "Info.plist", "--output"]
        let outcome = try Binary.run(sarif + ["lint.sarif"], in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(try JSONSerialization.jsonObject(with: Data(folder.read("lint.sarif").utf8)) is [String: Any])
        #expect(try Binary.run(sarif + [folder.path("no/such/place")], in: folder).status == 74)
    }

    @Test("a wrong command line ends lint with 64, an unreadable file with 65")
    func badInput() throws {
        #expect(try Binary.run(["lint"], in: folder).status == 64)
        #expect(try Binary.run(["lint", "-", "-"], in: folder).status == 64)
        #expect(try Binary.run(["lint", "--rules", "Info.plist"], in: folder).status == 64)
        #expect(try Binary.run(["lint", "--format", "xml", "-"], in: folder).status == 64)
        #expect(try Binary.run(["lint", "missing.plist"], in: folder).status == 65)
        let outcome = try Binary.run(["lint", "-"], in: folder, input: #"{"NSAppTransportSecurity": 1}"#)
        #expect(outcome.status == 65)
        #expect(outcome.output.contains("NSAppTransportSecurity must be a dictionary"))
    }

    @Test("an unreadable file does not hide the findings of others, and ends lint with 65")
    func oneOfMany() throws {
        try folder.write(plist("<key>NSAllowArbitraryLoads</key><true/>"), to: "good.plist")
        try folder.write("<plist><dict>\n#ifdef X\n</dict></plist>", to: "bad.plist")
        let outcome = try Binary.run(["lint", "bad.plist", "missing.plist", "good.plist"], in: folder)
        #expect(outcome.status == 65)
        let rules = outcome.output.split(separator: "\n").compactMap { $0.split(separator: "[").last }
        #expect(rules == ["lint.unreadable]", "lint.unreadable]", "lint.unknown-key]"])
        let json = try Binary.run(["lint", "--format", "json", "bad.plist", "good.plist"], in: folder)
        #expect(json.status == 65 && json.prose.contains("INFOPLIST_PREPROCESS"))
    }

    @Test("a folder is searched, a baseline hides known findings, and --strict counts warnings as errors")
    func folderAndBaseline() throws {
        for name in ["App", "Example"] {
            try FileManager.default.createDirectory(
                at: folder.url.appending(path: "src/" + name), withIntermediateDirectories: true)
            try folder.write(plist("<key>NSAllowsLocalNetworking</key><false/>"), to: "src/\(name)/Info.plist")
        }
        let all = try Binary.run(["lint", "src"], in: folder)
        #expect(all.status == 0 && all.output.split(separator: "\n").count == 2)
        let one = try Binary.run(["lint", "src", "--exclude", "Exam*", "--strict"], in: folder)
        #expect(one.status == 1 && one.output.hasPrefix("src/App/Info.plist:6:9: error: "))
        #expect(try Binary.run(["lint", "src", "--strict", "--write-baseline", "known"], in: folder).status == 0)
        #expect(folder.read("known").contains("src/App/Info.plist lint.false-sibling"))
        let known = try Binary.run(["lint", "src", "--strict", "--baseline", "known"], in: folder)
        #expect(known.status == 0 && known.output.isEmpty && known.prose.contains("2 known"))
        let less = try Binary.run(["lint", "src/App", "--baseline", "known"], in: folder)
        #expect(less.prose.contains("no longer found; remove it from known: src/Example/Info.plist"))
        #expect(try Binary.run(["lint", "src", "--baseline", "no-such-file"], in: folder).status == 65)
    }

    @Test("an Xcode build sets the oldest release, and an empty INFOPLIST_FILE is explained")
    func build() throws {
        let text = #"{"NSExceptionDomains": {"a.com": {"NSExceptionMinimumTLSVersion": "TLSv1.0"}}}"#
        let settings = ["PLATFORM_NAME": "iphoneos", "IPHONEOS_DEPLOYMENT_TARGET": "26.0"]
        #expect(try Binary.run(["lint", "-"], in: folder, input: text, environment: settings).status == 1)
        #expect(try Binary.run(["lint", "-"], in: folder, input: text).status == 0)
        let empty = ["SRCROOT": folder.url.path, "INFOPLIST_FILE": ""]
        let outcome = try Binary.run(["lint", folder.url.path + "/"], in: folder, environment: empty)
        #expect(outcome.status == 65 && outcome.output.contains("GENERATE_INFOPLIST_FILE"))
    }

    @Test("--format xcode prints absolute paths")
    func xcode() throws {
        try folder.write(plist("<key>NSAllowArbitraryLoads</key><true/>"), to: "Info.plist")
        let outcome = try Binary.run(["lint", "--format", "xcode", "Info.plist"], in: folder)
        #expect(outcome.output.hasPrefix("/") && outcome.output.contains("/Info.plist:6:9: error: "))
    }

    @Test("--rules lists every rule with its source, and as JSON with its examples")
    func rules() throws {
        let outcome = try Binary.run(["lint", "--rules"], in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("error    lint.arbitrary-loads-neutralised"))
        #expect(outcome.output.contains("atsgate explain law/rulings#siblings (source)"))
        let json = try Binary.run(["lint", "--rules", "--format", "json"], in: folder).output
        let list = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
        #expect(list?.isEmpty == false)
        #expect(list?.allSatisfy { $0["found"] is String && $0["silent"] is String } == true)
    }
}
