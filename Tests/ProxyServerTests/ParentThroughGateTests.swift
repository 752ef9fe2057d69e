import ATSPolicy
import Dialing
import Foundation
import Lab
import Processes
import ProxyCore
import ProxyServer
import Records
import TLSEngine
import Testing

/// Loads through a parent proxy, by curl through real gates.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ParentThroughGateTests {
    private static let permissive = "{\"NSAppTransportSecurity\":{\"NSAllowsArbitraryLoads\":true}}"
    private static let credentials = "reader:p@ss:word"

    /// The real ports of the lab's origins, by `HOST:PORT`.
    private static var table: [String: Int] {
        let origins = (try? SharedLabs.shared.get())?.origins ?? []
        return Dictionary(uniqueKeysWithValues: origins.map { ("\($0.name):\($0.port)", $0.realPort) })
    }

    /// A gate that reaches the lab's names only through its parent.
    private func rig(
        behind parent: ScriptedParent, _ change: (inout GateSettings) -> Void = { _ in }
    ) throws -> Rig {
        try Rig(policy: Self.permissive) {
            $0.connectTo = []
            $0.parent = ParentProxy(host: "127.0.0.1", port: parent.port, user: "reader", password: "p@ss:word")
            change(&$0)
        }
    }

    @Test("http goes to the parent as absolute URLs, https by CONNECT, with credentials; the parent resolves names")
    func bothWays() async throws {
        let parent = try ScriptedParent(credentials: Self.credentials, table: Self.table)
        let rig = try rig(behind: parent)
        let http = try await rig.curl("http://cleartext.lab.test/echo")
        #expect(http.output.hasPrefix("GET /echo HTTP/1.1\n"), "\(http.complaint)")
        #expect(http.output.contains("Host: cleartext.lab.test\n"))
        let https = try await rig.curl("https://good.lab.test/")
        #expect(https.output.hasPrefix("This is good.lab.test"), "\(https.complaint)")
        #expect(parent.lines == ["GET http://cleartext.lab.test/echo HTTP/1.1", "CONNECT good.lab.test:443 HTTP/1.1"])
        let records = rig.finish()
        #expect(records.map(\.verdict) == [.allowed, .allowed])
        #expect(records.map(\.via) == ["127.0.0.1:\(parent.port)", "127.0.0.1:\(parent.port)"])
        #expect(records.last?.origin?.facts?.served.first?.dnsNames.contains("good.lab.test") == true)
    }

    @Test("a parent's connection is reused for loads of the same host")
    func reuse() async throws {
        let parent = try ScriptedParent(credentials: Self.credentials, table: Self.table)
        let rig = try rig(behind: parent)
        for url in ["http://cleartext.lab.test/", "https://good.lab.test/"] {
            let outcome = try await rig.curl(url, url)
            #expect(outcome.status == 0)
        }
        #expect(parent.asked.count == 2)
        #expect(rig.finish().map(\.verdict) == [.allowed, .allowed, .allowed, .allowed])
    }

    @Test("a passthrough host, and the handshake that judges it, go through the parent")
    func passthrough() async throws {
        let parent = try ScriptedParent(credentials: Self.credentials, table: Self.table)
        let rig = try rig(behind: parent) { $0.rules.passthrough = ["good.lab.test"] }
        let root = rig.folder.appending(path: "lab-root.pem").path
        let outcome = try await Outcome.run(
            "curl", ["-sS", "--max-time", "20", "-x", rig.proxy, "--cacert", root, "https://good.lab.test/"])
        #expect(outcome.status == 0, "\(outcome.complaint)")
        #expect(parent.lines == ["CONNECT good.lab.test:443 HTTP/1.1", "CONNECT good.lab.test:443 HTTP/1.1"])
        let records = rig.finish()
        #expect(records.map(\.verdict) == [.allowed])
        #expect(records.first?.origin?.facts?.version == .tls13)
    }

    @Test("an origin that rejects a device's offer is diagnosed through the parent")
    func diagnosis() async throws {
        let parent = try ScriptedParent(credentials: Self.credentials, table: Self.table)
        let rig = try Rig {
            $0.connectTo = []
            $0.parent = ParentProxy(host: "127.0.0.1", port: parent.port, user: "reader", password: "p@ss:word")
        }
        _ = try await rig.curl("https://rsa-kx.lab.test/")
        #expect(rig.finish().map { $0.diagnosis?.findings.first?.rule } == [.forwardSecrecy])
        #expect(parent.lines.count == 2)
    }

    @Test(
        "SOCKS clients go through the parent, too",
        arguments: ["http://cleartext.lab.test/", "https://good.lab.test/"])
    func socks(url: String) async throws {
        let parent = try ScriptedParent(credentials: Self.credentials, table: Self.table)
        let rig = try rig(behind: parent) { $0.listeners[0].entrance = .socks }
        let outcome = try await rig.curl("--socks5-hostname", "127.0.0.1:\(rig.port)", url, proxied: false)
        #expect(outcome.output.hasPrefix("This is "), "\(outcome.complaint)")
        #expect(parent.lines.first?.hasPrefix("CONNECT ") == true)
        #expect(rig.finish().map(\.via) == ["127.0.0.1:\(parent.port)"])
    }

    @Test("--connect-to applies first: the parent gets a CONNECT for the other target, even for http")
    func connectTo() async throws {
        let parent = try ScriptedParent(
            credentials: Self.credentials, table: ["inner.test:8080": Rig.cleartextPort])
        let rig = try rig(behind: parent) {
            $0.connectTo = [ConnectTo(host: "outer.test", port: nil, toHost: "inner.test", toPort: 8_080)]
        }
        let outcome = try await rig.curl("http://outer.test/echo")
        #expect(outcome.output.contains("Host: outer.test\n"), "\(outcome.complaint)")
        #expect(parent.lines == ["CONNECT inner.test:8080 HTTP/1.1"])
        rig.finish()
    }

    @Test(
        "a parent that refuses is named in the response and in the record, without the credentials",
        arguments: [
            ("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", "answered 403"), ("", "did not answer with HTTP"),
            ("HTTP/1.1 502 Bad\r\n\r\n", "answered 502"), ("220 mail\r\n", "did not answer with HTTP"),
            ("407", "credentials"),
        ], ["http", "https"])
    func refused(answer: (text: String, words: String), scheme: String) async throws {
        let wantsOthers = answer.text == "407"
        let parent = try ScriptedParent(
            credentials: "somebody:else", answer: wantsOthers ? nil : answer.text, table: Self.table)
        let rig = try rig(behind: parent)
        let url = "\(scheme)://\(scheme == "http" ? "cleartext" : "good").lab.test/"
        let outcome = try await rig.curl("-v", "-i", url)
        let records = rig.finish()
        let record = try #require(records.first)
        var json: [UInt8] = []
        RecordJSON.append(record, to: &json)
        let everything = outcome.output + outcome.complaint + String(decoding: json, as: UTF8.self)
        #expect(!everything.contains("cmVhZGVy") && !everything.contains("p@ss"))
        // A parent that handles http itself answers for the origin; only 407 certainly comes from the parent.
        let isItsOwn = scheme == "https" || wantsOthers
        if isItsOwn {
            #expect(everything.contains("502"))
            #expect(record.verdict == .failed)
            #expect(record.diagnosis?.findings.first?.rule == .netParent)
            #expect(record.diagnosis?.findings.first?.observed.contains(answer.words) == true)
        } else {
            #expect(record.via != nil)
        }
    }

    @Test("an unreachable parent and a silent one are reported in time")
    func unreachable() async throws {
        let gone = try Rig { $0.parent = ParentProxy(host: "127.0.0.1", port: 1) }
        _ = try await gone.curl("https://good.lab.test/")
        let first = gone.finish().first?.diagnosis?.findings.first
        #expect(first?.rule == .netParent && first?.observed.contains("refused") == true)
        // No connection of this backlog is accepted.
        let silent = try #require(try? Silence())
        let mute = try Rig {
            $0.parent = ParentProxy(host: "127.0.0.1", port: silent.port)
            $0.timeouts.connect = .milliseconds(200)
        }
        _ = try await mute.curl("https://good.lab.test/")
        let second = mute.finish().first?.diagnosis?.findings.first
        #expect(second?.rule == .netParent && second?.observed.contains("in time") == true)
    }

    @Test(
        "hosts of --no-parent are dialed directly, matched before or after --connect-to",
        arguments: ["good.lab.test", "127.0.0.0/8"])
    func bypass(rule: String) async throws {
        let rig = try Rig {
            $0.parent = ParentProxy(host: "127.0.0.1", port: 1)
            $0.parentBypass = ParentBypass([rule])
        }
        let outcome = try await rig.curl("https://good.lab.test/")
        #expect(outcome.status == 0, "\(outcome.complaint)")
        #expect(rig.finish().map(\.via) == [nil])
    }

    @Test("of two gates in a row the second one judges https, which it decrypts; both judge http")
    func twoGates() async throws {
        let second = try Rig(policy: Self.permissive)
        let first = try Rig(policy: Self.permissive) {
            $0.connectTo = []
            $0.parent = ParentProxy(host: "127.0.0.1", port: second.port)
            $0.roots = [second.gate.authority.certificatePath ?? ""]
        }
        #expect(try await first.curl("https://good.lab.test/").output.hasPrefix("This is good"))
        #expect(try await first.curl("http://cleartext.lab.test/").output.hasPrefix("This is cleartext"))
        let loads = first.finish()
        #expect(loads.map(\.verdict) == [.outside, .allowed])
        #expect(loads.first?.diagnosis?.rule == .netDecrypted)
        #expect(second.finish().map(\.verdict) == [.allowed, .allowed])
    }

    @Test("a gate refuses to be its own parent")
    func itself() throws {
        let port = try Loopback.freePorts(1)[0]
        let error = #expect(throws: GateError.self) {
            try Rig {
                $0.listeners = [ListenAddress(host: "127.0.0.1", port: port)]
                $0.parent = ParentProxy(host: "LOCALHOST", port: port)
            }
        }
        #expect(error?.exitCode == 64)
    }
}
