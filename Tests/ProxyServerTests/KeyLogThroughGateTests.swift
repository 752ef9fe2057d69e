import Dialing
import Foundation
import ProxyCore
import ProxyServer
import Records
import Testing

/// The secrets of connections that openssl and curl make through a real gate.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct KeyLogThroughGateTests {
    @Test("the gate's key log contains every line of the client's own, in addition to those of the origin connection")
    func bothSides() async throws {
        let folder = FileManager.default.temporaryDirectory
        let path = folder.appending(path: "atsgate-keys-\(UUID().uuidString).log").path
        let own = folder.appending(path: "atsgate-own-\(UUID().uuidString).log").path
        defer { for file in [path, own] { try? FileManager.default.removeItem(atPath: file) } }
        let rig = try Rig { $0.keyLogPath = path }
        let outcome = try await Outcome.run(
            "openssl",
            ["s_client", "-proxy", "127.0.0.1:\(rig.port)", "-connect", "good.lab.test:443", "-keylogfile", own])
        #expect(outcome.output.contains("BEGIN CERTIFICATE"), "\(outcome.complaint)")
        rig.finish()
        let ours = Set(try lines(of: path))
        let theirs = try lines(of: own).filter { !$0.hasPrefix("#") }
        #expect(!theirs.isEmpty)
        #expect(ours.isSuperset(of: theirs))
        let random = try #require(theirs.first?.split(separator: " ").dropFirst().first)
        #expect(ours.contains { !$0.contains(random) }, "the origin connection has its own secrets")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test("a key log that cannot be opened ends the start with 74")
    func unwritable() {
        let error = #expect(throws: GateError.self) { try Rig { $0.keyLogPath = "/nowhere/keys.log" } }
        #expect(error?.exitCode == 74)
    }

    @Test("a full disk does not stop a load", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisk() async throws {
        let rig = try Rig { $0.keyLogPath = "/dev/full" }
        #expect(try await rig.curl("https://good.lab.test/").status == 0)
        #expect(rig.finish().map(\.verdict) == [.allowed])
    }

    @Test("HTTP/3 is hidden from clients by default", arguments: [false, true])
    func alternatives(isKept: Bool) async throws {
        let value = #"h3=":443"; ma=86400, h2=":8443""#
        let origin = try ScriptedParent(
            answer: "HTTP/1.1 200 OK\r\nAlt-Svc: \(value)\r\nContent-Length: 0\r\n\r\n")
        let rig = try Rig(policy: "{\"NSAppTransportSecurity\":{\"NSAllowsArbitraryLoads\":true}}") {
            $0.rules.keepsAltSvc = isKept
            $0.connectTo = [ConnectTo(host: "a.test", port: nil, toHost: "127.0.0.1", toPort: origin.port)]
        }
        let outcome = try await rig.curl("-i", "http://a.test/")
        #expect(outcome.output.contains("Alt-Svc: " + (isKept ? value : #"h2=":8443""#) + "\r\n"))
        #expect(rig.finish().map(\.removed) == [isKept ? [] : ["alt-svc h3"]])
    }

    private func lines(of path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}
