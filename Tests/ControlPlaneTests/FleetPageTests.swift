import ControlPlane
import Foundation
import Reporting
import Synchronization
import Testing

/// The page's queries about all gates. A closure acts as the server.
@Suite("The page and the fleet", .timeLimit(.minutes(2)))
struct FleetPageTests {
    /// The server's response, and its number of queries.
    private final class Server: Sendable {
        let trouble = Mutex<StoreError?>(nil)
        let asked = Mutex<[Int]>([])

        func look(_ hours: Int) throws -> FleetOverview {
            asked.withLock { $0.append(hours) }
            if let trouble = trouble.withLock(\.self) { throw trouble }
            var gate = FleetGate(spool: "a1", machine: "<b>mac</b>", version: "1.0", owner: "ci")
            gate.silentSeconds = 500
            gate.seen = 1_770_091_506_000
            gate.waiting = 7
            let own = FleetGate(spool: "a2", machine: "mac2", version: "1.0", owner: "ci")
            var overview = FleetOverview(gates: [gate, own], gateCount: 9)
            overview.blocked = [
                BlockedHost(
                    host: "a.test", rule: "ats.tls-version", loads: 3, last: 1, gateCount: 2, spools: ["a2", "a1"])
            ]
            overview.note = "A note."
            overview.ownSpool = "a2"
            return overview
        }
    }

    private func json(_ answer: String) throws -> [String: Any] {
        #expect(answer.status == 200, "\(answer)")
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
    }

    private let away = StoreError.unreachable(path: "postgres://db.test/ats", cause: "no answer")

    @Test("it lists the gates, the blocked hosts, and the state of the gate's own spool")
    func tells() async throws {
        let server = Server()
        let rig = try PageRig(fleet: { try server.look($0) })
        #expect(try json(await rig.script("/api/v1/state"))["shared"] as? Bool == true)
        let before = try json(await rig.script("/api/v1/fleet?hours=24"))
        #expect(before["own"] is NSNull && before["trouble"] is NSNull && before["time"] is Int)
        #expect(before["note"] as? String == "A note." && before["gateCount"] as? Int == 9)
        let gates = try #require(before["gates"] as? [[String: Any]])
        #expect(gates.map { $0["machine"] as? String } == ["<b>mac</b>", "mac2"])
        #expect(gates.map { $0["isSilent"] as? Bool } == [true, true])
        #expect(gates.map { $0["isOwn"] as? Bool } == [false, true])
        #expect(gates.map { $0["waiting"] as? Int } == [7, 0])
        let blocked = try #require((before["blocked"] as? [[String: Any]])?.first)
        #expect(blocked["host"] as? String == "a.test" && blocked["gates"] as? [String] == ["a2", "a1"])
        var signs = SpoolStatus()
        signs.waiting = 12
        signs.forwarder.trouble = "no answer"
        rig.monitor.begin(
            GateMonitor.Probes(
                pulse: { _ in GateMonitor.Pulse(silentLoops: 0, openConnections: 0) }, archive: { ArchiveFigures() },
                authorityEnd: 0, spool: { [signs] in signs }))
        let own = try #require(try json(await rig.script("/api/v1/fleet"))["own"] as? [String: Any])
        #expect(own["waiting"] as? Int == 12 && own["trouble"] as? String == "no answer")
        #expect(server.asked.withLock(\.self) == [24, 1])
        #expect(try await rig.script("/api/v1/fleet?hours=25").status == 400)
        #expect(try await rig.ask("/api/v1/fleet").status == 401)
    }

    @Test("during an outage the fleet view shows the error and the last response, and does not retry immediately")
    func unreachable() async throws {
        let server = Server()
        server.trouble.withLock { $0 = away }
        let rig = try PageRig(fleet: { try server.look($0) })
        let never = try json(await rig.script("/api/v1/fleet"))
        #expect(never["time"] is NSNull && never["trouble"] as? String == "postgres://db.test/ats: no answer")
        #expect((never["gates"] as? [Any])?.isEmpty == true && never["gateCount"] as? Int == 0)
        _ = try await rig.script("/api/v1/fleet")
        #expect(server.asked.withLock(\.self) == [1])

        let other = Server()
        let known = try PageRig(fleet: { try other.look($0) })
        let first = try json(await known.script("/api/v1/fleet?hours=24"))
        other.trouble.withLock { $0 = away }
        let then = try json(await known.script("/api/v1/fleet"))
        #expect(then["trouble"] as? String == "postgres://db.test/ats: no answer")
        #expect(then["time"] as? Int == first["time"] as? Int && then["hours"] as? Int == 24)
        #expect((then["gates"] as? [Any])?.count == 2)
    }

    @Test("a gate without a shared store has no fleet view")
    func alone() async throws {
        let rig = try PageRig()
        #expect(try json(await rig.script("/api/v1/state"))["shared"] as? Bool == false)
        #expect(try await rig.script("/api/v1/fleet").status == 404)
    }
}
