import ATSPolicy
import ControlPlane
import Dispatch
import Foundation
import HTTPWire
import Records
import Reporting
import Synchronization
import Testing

/// Requests that need no token.
@Suite(.timeLimit(.minutes(2)))
struct MonitorTests {
    @Test("it answers three paths, for GET and HEAD only")
    func questions() async throws {
        let rig = try MonitorRig()
        rig.begin()
        for path in ["/healthz", "/readyz", "/metrics"] {
            #expect(try await rig.ask("GET \(path)").status == 200, "\(path)")
            let head = try await rig.ask("HEAD \(path)")
            #expect(head.status == 200 && head.body.isEmpty)
            for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
                let answer = try await rig.ask("\(method) \(path)")
                #expect(answer.status == 405 && answer.contains("\r\nAllow: GET, HEAD\r\n"), "\(method) \(path)")
            }
        }
        for path in ["/", "/?token=x", "/metrics/x", "/api/v1/state", "/api/v1/metrics", "/index.html"] {
            #expect(try await rig.ask("GET \(path)").status == 404, "\(path)")
        }
    }

    @Test("on this machine only an address or localhost is a valid host name, on a network any name")
    func names() async throws {
        let own = try MonitorRig()
        for path in ["/healthz", "/metrics", "/nothing"] {
            #expect(try await own.ask("GET \(path)", host: "rebound.example").status == 421)
        }
        #expect(try await own.ask("GET /healthz", host: "localhost").status == 200)
        let opened = try MonitorRig(takesAnyName: true)
        #expect(try await opened.ask("GET /healthz", host: "gate-1.lab.example:9804").status == 200)
        #expect(try await opened.ask("GET /nothing", host: "gate-1.lab.example").status == 404)
    }

    @Test("a body is refused")
    func body() async throws {
        let rig = try MonitorRig()
        let client = try PageClient(port: rig.port)
        await client.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\n\r\nx")
        #expect(await client.receive()?.status == 413)
    }

    @Test("only a limited number of connections stays open")
    func crowd() async throws {
        var limits = WebLimits.monitoring
        // Longer than the crowd takes to connect.
        (limits.idle, limits.crowdedIdle) = (.seconds(100), .seconds(100))
        let rig = try MonitorRig(limits)
        let crowd = try await PageClient.crowd(of: 100, port: rig.port)
        for stranger in crowd.suffix(60) { try #require(await stranger.isClosed()) }
    }

    @Test("it is ready while the gate serves, but not with a full archive, a silent loop, or while draining")
    func readiness() async throws {
        let rig = try MonitorRig()
        let starting = try await rig.ask("GET /readyz")
        #expect(starting.status == 503 && starting.body.hasPrefix("the gate is starting: its dictionary is not read"))
        #expect(try await rig.ask("GET /healthz").body == "ok\n")
        rig.begin()
        #expect(try await rig.ask("GET /readyz").body == "ok\n")
        rig.archive.withLock { $0.isFull = true }
        let full = try await rig.ask("GET /readyz")
        #expect(full.status == 503 && full.body == "the archive is full: new loads wait until records are written\n")
        #expect(try await rig.ask("GET /healthz").status == 200)
        rig.archive.withLock { $0.isFull = false }
        rig.silentLoops.withLock { $0 = 1 }
        for path in ["/healthz", "/readyz"] {
            let answer = try await rig.ask("GET \(path)")
            #expect(answer.status == 503 && answer.body == "1 of the gate's loops did not answer within 2 s\n")
        }
        rig.silentLoops.withLock { $0 = 0 }
        rig.monitor.drain()
        let draining = try await rig.ask("GET /readyz")
        #expect(draining.status == 503 && draining.body == "the gate is shutting down: it accepts no new clients\n")
        #expect(try await rig.ask("GET /healthz").status == 200)
    }

    @Test("metrics are in Prometheus' format, and add up")
    func numbers() async throws {
        let rig = try MonitorRig()
        var slow = PageLoads.load(9, verdict: .failed, rule: .tlsTimeout)
        slow.timing.total = 12_000_000
        let refused = PageLoads.load(8, verdict: .blocked, rule: .expired)
        rig.monitor.loads.write((0..<3).map { PageLoads.load($0) } + [PageLoads.blocked(4), slow, refused])
        rig.monitor.noteReload(isInForce: true)
        rig.monitor.noteReload(isInForce: false)
        rig.begin()
        let answer = try await rig.ask("GET /metrics")
        #expect(answer.contains("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
        for line in [
            "atsgate_loads_total{verdict=\"allowed\",rule=\"none\"} 3",
            "atsgate_loads_total{verdict=\"blocked\",rule=\"ats.cleartext-load\"} 1",
            "atsgate_loads_total{verdict=\"blocked\",rule=\"trust.expired\"} 1",
            "atsgate_loads_total{verdict=\"failed\",rule=\"tls.timeout\"} 1",
            "atsgate_load_seconds_bucket{le=\"0.001\"} 5", "atsgate_load_seconds_bucket{le=\"10.0\"} 5",
            "atsgate_load_seconds_bucket{le=\"30.0\"} 6", "atsgate_load_seconds_bucket{le=\"+Inf\"} 6",
            "atsgate_load_seconds_sum 12.0", "atsgate_load_seconds_count 6",
            "atsgate_handshake_failures_total{rule=\"trust.expired\"} 1",
            "atsgate_handshake_failures_total{rule=\"tls.timeout\"} 1",
            "atsgate_open_connections 7", "atsgate_ready 1", "atsgate_silent_loops 0", "atsgate_archive_waiting_rows 5",
            "atsgate_archive_waiting_bytes 600",
            "atsgate_records_lost_total{sink=\"json\"} 2", "atsgate_records_lost_total{sink=\"store\"} 0",
            "atsgate_policy_reloads_total 1", "atsgate_policy_reload_failures_total 1",
            "atsgate_policy_last_reload_successful 0", "atsgate_ca_expiry_timestamp_seconds 1800000000",
            "atsgate_build_info{version=\"1.2\"} 1",
        ] { #expect(answer.body.contains("\n\(line)\n"), "\(line)") }
        #expect(!answer.body.contains("atsgate_handshake_failures_total{rule=\"ats.cleartext-load\"}"))
        #expect(answer.body.contains("\nprocess_open_fds "))
    }

    @Test("no metric contains a host, an address, a recording or a path, whatever loads contain")
    func silent() async throws {
        let rig = try MonitorRig()
        let before = try await rig.ask("GET /metrics").body.split(separator: "\n").count
        rig.monitor.loads.write((0..<50).map { PageLoads.filled(with: "very-private-\($0).example") })
        let text = try await rig.ask("GET /metrics").body
        #expect(!text.contains("very-private") && !text.contains("127.0.0.1"))
        // One line for the verdict and rule that they share.
        #expect(text.split(separator: "\n").count == before + 1)
    }
}

/// The listener over a simulated gate.
private final class MonitorRig: Sendable {
    let monitor = GateMonitor(version: "1.2")
    let archive = Mutex(ArchiveFigures())
    let silentLoops = Mutex(0)
    private let server: WebServer

    init(_ limits: WebLimits = .monitoring, takesAnyName: Bool = false) throws {
        server = try WebServer(WebAddress(port: 0), limits: limits)
        server.start(.monitoring(monitor, port: server.address.port, takesAnyName: takesAnyName))
    }

    // Stopping blocks, and tests share their threads with the server.
    deinit { DispatchQueue.global().async { [server] in server.stop() } }

    var port: Int { server.address.port }

    /// Reports that the gate serves.
    func begin() {
        archive.withLock { archive in
            archive.waitingRows = 5
            archive.waitingBytes = 600
            archive.lost = [.json: 2]
        }
        monitor.begin(
            GateMonitor.Probes(
                pulse: { [weak self] _ in
                    GateMonitor.Pulse(silentLoops: self?.silentLoops.withLock { $0 } ?? 0, openConnections: 7)
                },
                archive: { [weak self] in self?.archive.withLock { $0 } ?? ArchiveFigures() },
                authorityEnd: 1_800_000_000))
    }

    /// Sends one request on a new connection, and returns the whole response.
    func ask(_ what: String, host: String? = nil) async throws -> String {
        let client = try PageClient(port: port)
        await client.send("\(what) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\nConnection: close\r\n\r\n")
        return await client.receiveAll()
    }
}
