import Foundation
import Testing

/// After any change of its policy file, a gate uses the new policy, or the old one with a message.
@Suite("Changes of the policy", .timeLimit(.minutes(10)))
struct PolicyChangeTests {
    private static let strict = #"{"NSAllowsArbitraryLoads": false}"#
    private static let permissive = #"{"NSAllowsArbitraryLoads": true}"#

    let folder: Folder

    init() throws { folder = try Folder() }

    private func start(_ policy: String) throws -> Launch {
        let gate = try Launch(
            ["proxy", "--listen", "127.0.0.1:0", "--port-file", "port", "--store", "none", "--policy", policy],
            in: folder)
        try #require(gate.waits { !folder.read("port").isEmpty })
        return gate
    }

    /// True if an http load ends with 403, as under the strict policy, or with 502, because the host does not exist.
    private func ends(with status: String) -> Bool {
        let port = folder.read("port").trimmingCharacters(in: .newlines)
        let load =
            "http_proxy=http://127.0.0.1:\(port) curl -s --noproxy '' -o body -w '%{http_code}' http://one.invalid/"
        let code = try? Binary.tool(
            ["sh", "-c", "cd '\(folder.url.path)' && test \"$(\(load))\" = \(status)"])
        return code == 0
    }

    /// The path of the policy, a file by itself or in an app.
    private func file(of policy: String) throws -> String {
        guard policy.hasSuffix(".app") else { return policy }
        try FileManager.default.createDirectory(atPath: folder.path(policy), withIntermediateDirectories: true)
        return policy + "/Info.plist"
    }

    private func writeInPlace(_ text: String, to name: String) throws {
        let handle = try FileHandle(forWritingTo: folder.url.appending(path: name))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    @Test(
        "the new policy applies after a write in place, a rename or a new link, in a file and in a bundle",
        arguments: ["p.json", "A.app"])
    func changes(policy: String) throws {
        let name = try file(of: policy)
        try folder.write(Self.strict, to: name)
        let gate = try start(policy)
        #expect(ends(with: "403"))
        try writeInPlace(Self.permissive, to: name)
        #expect(gate.waits { ends(with: "502") })
        let fresh = try folder.write(Self.strict, to: "fresh")
        try #require(rename(fresh, folder.path(name)) == 0)
        #expect(gate.waits { ends(with: "403") })
        let target = try folder.write(Self.permissive, to: "target")
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: target)
        try #require(rename(folder.path("link"), folder.path(name)) == 0)
        #expect(gate.waits { ends(with: "502") })
        #expect(gate.stop().status == 0)
    }

    @Test(
        "an emptied file keeps the old policy, with a message, until it is complete",
        arguments: ["p.json", "A.app"])
    func truncatedFirst(policy: String) throws {
        let name = try file(of: policy)
        try folder.write(Self.permissive, to: name)
        let gate = try start(policy)
        try writeInPlace("", to: name)
        #expect(gate.waits { gate.said.contains("reload failed, the old policy stays in force") })
        #expect(ends(with: "502"))
        try writeInPlace(Self.strict, to: name)
        #expect(gate.waits { ends(with: "403") })
        #expect(gate.stop().status == 0)
    }

    @Test("problems in the dictionary are counted at the start and at each reload, with the lint command")
    func problems() throws {
        try folder.write(#"{"NSTypo": true, "NSExceptionDomains": {"*.example.com": {}}}"#, to: "p.json")
        let gate = try start("p.json")
        #expect(gate.waits { gate.said.contains("warning: 2 problems in p.json (2 errors): atsgate lint p.json\n") })
        try writeInPlace(Self.strict, to: "p.json")
        #expect(gate.waits { gate.said.contains("policy reloaded") })
        try writeInPlace(#"{"NSAllowsArbitraryLoads": false, "NSTypo": true}"#, to: "p.json")
        #expect(gate.waits { gate.said.contains("warning: 1 problem in p.json (1 error): atsgate lint p.json\n") })
        #expect(gate.stop().status == 0)
        #expect(gate.said.matches(of: /problems? in p\.json/).count == 2)
    }

    @Test("a finding disabled by a comment is not a problem; for standard input no lint command is shown")
    func problemsElsewhere() throws {
        let plist = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict>
            <!-- atsgate:disable lint.unknown-key for the test -->
            <key>NSTypo</key><true/>
            </dict></dict></plist>
            """
        try folder.write(plist, to: "p.plist")
        let sound = try Binary.run(["run", "--policy", "p.plist", "--", "true"], in: folder)
        #expect(!sound.prose.contains("problem"))
        let typed = try Binary.run(
            ["run", "--policy", "-", "--", "true"], in: folder,
            input: #"{"NSAllowsArbitraryLoads": false, "NSTypo": true}"#)
        #expect(typed.prose.contains("warning: 1 problem in standard input (1 error)\n"))
    }

    @Test("a bundle that is deleted and copied again is read when it is back")
    func copiedAnew() throws {
        try folder.write(Self.strict, to: try file(of: "A.app"))
        let gate = try start("A.app")
        try FileManager.default.removeItem(atPath: folder.path("A.app"))
        try folder.write(Self.permissive, to: try file(of: "A.app"))
        #expect(gate.waits { ends(with: "502") })
        #expect(gate.stop().status == 0)
    }
}
