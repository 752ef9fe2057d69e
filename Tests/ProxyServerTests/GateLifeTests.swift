import ATSPolicy
import Declarations
import Foundation
import NetLoop
import ProxyCore
import ProxyServer
import Records
import Synchronization
import Testing

/// Starting, reloading, draining, stopping.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct GateLifeTests {
    private static let permissive = "{\"NSAppTransportSecurity\":{\"NSAllowsArbitraryLoads\":true}}"
    private static let strict = "{\"NSAppTransportSecurity\":{}}"

    @Test("a changed policy file takes effect; a broken one keeps the old policy")
    func reload() async throws {
        let rig = try Rig(policy: Self.strict)
        let refused = try await rig.curl("-o", "/dev/null", "-w", "%{http_code}", "http://cleartext.lab.test/")
        #expect(refused.output == "403")
        try Data(Self.permissive.utf8).write(to: rig.policyPath)
        rig.gate.reload()
        let permitted = try await rig.curl("-o", "/dev/null", "-w", "%{http_code}", "http://cleartext.lab.test/")
        #expect(permitted.output == "200")
        try Data("{\"NSAppTransportSecurity\":[".utf8).write(to: rig.policyPath)
        rig.gate.reload()
        let still = try await rig.curl("-o", "/dev/null", "-w", "%{http_code}", "http://cleartext.lab.test/")
        #expect(still.output == "200")
        rig.finish()
    }

    @Test(
        "a dictionary without a file is replaced by a valid one and kept after an invalid one, also on reload")
    func handedIn() async throws {
        func declaration(_ text: String, _ name: String) throws -> Declaration {
            try DeclarationReader.parse(Array(text.utf8), source: name)
        }
        let rig = try Rig(policy: Self.permissive) { settings in
            settings.declaration = try? declaration(Self.strict, "store:lab@1")
        }
        let reported = Mutex<[PolicyChange]>([])
        rig.gate.whenPolicyChanges { change in reported.withLock { $0.append(change) } }
        func status() async throws -> String {
            try await rig.curl("-o", "/dev/null", "-w", "%{http_code}", "http://cleartext.lab.test/").output
        }
        #expect(try await status() == "403")
        rig.gate.reload(.success(try declaration(Self.permissive, "store:lab@2")))
        #expect(try await status() == "200")
        rig.gate.reload(.failure(DeclarationError(source: "store:lab@3", what: "it is broken")))
        #expect(try await status() == "200")
        try rig.gate.enforce(declaration(Self.strict, "upload.plist"))
        #expect(try await status() == "403")
        rig.gate.reload()
        #expect(try await status() == "200")
        let expected: [PolicyChange] = [
            .inForce("store:lab@2"), .kept("store:lab@3: it is broken"), .inForce("upload.plist"),
            .inForce("store:lab@2"),
        ]
        #expect(reported.withLock { $0 } == expected)
        #expect(
            rig.finish().map(\.policy.source) == [
                "store:lab@1", "store:lab@2", "store:lab@2", "upload.plist", "store:lab@2",
            ])
    }

    @Test("observers see changes in the order in which they took effect")
    func orderOfReports() throws {
        let rig = try Rig(policy: Self.permissive)
        let reported = Mutex<[PolicyChange]>([])
        let next = try DeclarationReader.parse(Array(Self.strict.utf8), source: "next.plist")
        let isFirst = Mutex(true)
        // Another change takes effect before the second observer is called.
        rig.gate.whenPolicyChanges { [gate = rig.gate] _ in
            guard
                isFirst.withLock({ first in
                    defer { first = false }; return first
                })
            else { return }
            try? gate.enforce(next)
        }
        rig.gate.whenPolicyChanges { change in reported.withLock { $0.append(change) } }
        rig.gate.reload()
        #expect(rig.gate.declaration.source == "next.plist")
        #expect(reported.withLock { $0 } == [.inForce(rig.policyPath.path), .inForce("next.plist")])
        rig.finish()
    }

    @Test("a dictionary that came while another file was broken takes effect once that file can be read")
    func handedInBesideBrokenFile() async throws {
        let roots = FileManager.default.temporaryDirectory.appending(path: "atsgate-\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: roots) }
        let rig = try Rig(policy: Self.strict) { settings in
            settings.declaration = try? DeclarationReader.parse(Array(Self.strict.utf8), source: "store:lab@1")
            if let root = settings.roots.first {
                try? FileManager.default.copyItem(atPath: root, toPath: roots.path)
                settings.roots = [roots.path]
            }
        }
        let sound = try #require(FileManager.default.contents(atPath: roots.path))
        try Data("broken".utf8).write(to: roots)
        rig.gate.reload(
            .success(try DeclarationReader.parse(Array(Self.permissive.utf8), source: "store:lab@2")))
        func status() async throws -> String {
            try await rig.curl("-o", "/dev/null", "-w", "%{http_code}", "http://cleartext.lab.test/").output
        }
        #expect(try await status() == "403")
        try sound.write(to: roots)
        rig.gate.reload()
        #expect(try await status() == "200")
        rig.finish()
    }

    @Test("a replaced file is noticed without a reload command")
    func watched() async throws {
        let rig = try Rig(policy: Self.strict)
        let fresh = rig.folder.appending(path: "fresh.json")
        try Data(Self.permissive.utf8).write(to: fresh)
        try #require(rename(fresh.path, rig.policyPath.path) == 0)
        var status = ""
        for _ in 0..<100 where status != "200" {
            status = try await rig.curl("-o", "/dev/null", "-w", "%{http_code}", "http://cleartext.lab.test/").output
        }
        #expect(status == "200")
        rig.finish()
    }

    @Test("draining finishes the load in flight and refuses new ones")
    func drain() async throws {
        let rig = try Rig(policy: Self.permissive)
        async let slow = rig.curl("-o", "/dev/null", "-w", "%{http_code}", "http://cleartext.lab.test/slow?ms=1500")
        try await rig.untilBusy()
        await withCheckedContinuation { continuation in rig.gate.drain { continuation.resume() } }
        #expect(try await slow.output == "200")
        let late = try await rig.curl("http://cleartext.lab.test/")
        #expect(late.status == 7)
        #expect(rig.finish().map(\.verdict) == [.allowed])
    }

    @Test("stopping records the load in flight in its current state")
    func stop() async throws {
        let rig = try Rig(policy: Self.permissive)
        async let slow = rig.curl("http://cleartext.lab.test/slow?ms=9000")
        try await rig.untilBusy()
        rig.gate.stop()
        #expect(try await slow.status != 0)
        let records = rig.finish()
        #expect(records.count == 1)
        #expect(records.first?.verdict == .failed)
        #expect(records.first?.diagnosis?.findings.first?.rule == .gateStopped)
    }

    @Test("an address in use has its own exit code, and listening for other machines must be allowed explicitly")
    func badListeners() throws {
        let rig = try Rig()
        let error = #expect(throws: GateError.self) {
            _ = try Rig { $0.listeners = [ListenAddress(host: "127.0.0.1", port: rig.port)] }
        }
        #expect(error?.exitCode == 69)
        let lan = #expect(throws: GateError.self) {
            _ = try Rig { $0.listeners = [ListenAddress(host: "0.0.0.0", port: 0)] }
        }
        #expect(lan?.exitCode == 64)
        rig.finish()
    }

    @Test("a broken policy file stops the start and names file and line")
    func brokenPolicy() throws {
        let error = #expect(throws: GateError.self) {
            _ = try Rig(policy: "{\n\"NSAppTransportSecurity\": [1]\n}")
        }
        #expect(error?.exitCode == 65)
        #expect(error?.sentence.contains("policy.json:2") == true, "\(error?.sentence ?? "")")
    }
}

extension Rig {
    /// Returns once a client is in the middle of a load.
    func untilBusy() async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while await gate.busyClients() == 0 {
            try #require(ContinuousClock.now < deadline, "no load arrived")
            await Task.yield()
        }
    }
}
