import Dispatch
import Foundation
import Logging
import ProxyCore
import ProxyServer
import Reporting
import Testing

/// Detection of hanging loops in a gate.
@Suite(.timeLimit(.minutes(2)))
struct PulseTests {
    @Test("every loop reports its clients; a hanging one counts as silent after the timeout, and the gate as unsettled")
    func silentLoop() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-pulse-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var settings = GateSettings()
        settings.listeners = [ListenAddress(host: "127.0.0.1", port: 0)]
        settings.caDirectory = folder.path
        settings.loops = 2
        let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var opening = try GateOpening(settings)
        opening.ownSite = OwnSite { _ in
            entered.signal()
            leave.wait()
            return nil
        }
        let archive = Archive(sinks: []) { _ in }
        let gate = try Gate(opening, archive: archive, log: Logger(label: "pulse"))
        let idle = gate.pulse(within: .seconds(20))
        #expect(idle.silentLoops == 0 && idle.openConnections == 0)
        let address = try #require(gate.addresses.first)
        async let asked = Outcome.run("curl", ["-s", "--noproxy", "*", "http://\(address.text)/"])
        #expect(await Self.comes(entered))
        #expect(gate.pulse(within: .seconds(5)).silentLoops == 1)
        // Later calls wait no longer than the first.
        let second = ContinuousClock.now
        #expect(gate.pulse(within: .seconds(5)).silentLoops == 1)
        #expect(ContinuousClock.now - second < .seconds(4))
        #expect(!gate.settle(within: .milliseconds(100)))
        leave.signal()
        #expect(gate.settle(within: .seconds(20)))
        _ = try await asked
        #expect(gate.pulse(within: .seconds(20)).silentLoops == 0)
        gate.stop()
        _ = archive.close()
    }

    /// Waits on a thread of its own, because the threads of tests are few.
    private static func comes(_ semaphore: DispatchSemaphore) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: semaphore.wait(timeout: .now() + 30) == .success)
            }
        }
    }
}
