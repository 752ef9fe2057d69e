import Foundation
import Processes
import TestSupport

/// A gate with its own spool, and a client that uses it.
final class ChaosGate {
    let client: ChaosClient
    private let folder: Folder
    private let store: String
    private var program: Program?
    /// The times of its kills. Loads answered a moment before may have been only in its memory.
    private(set) var kills: [ContinuousClock.Instant] = []

    init(name: String, store: String) throws {
        folder = try Folder()
        client = ChaosClient(name: name)
        self.store = store
        try start()
        client.start()
    }

    func start() throws {
        folder.remove("port")
        let gate = try Program(
            path: "/usr/bin/env",
            [
                "XDG_DATA_HOME=\(folder.path("data"))", Program.path(of: "atsgate"), "proxy", "--listen", "127.0.0.1:0",
                "--port-file", "port", "--web", "off", "--console", "none", "--store", store, "--recording", "chaos",
                "--ship-timeout", "60s",
            ], in: folder)
        program = gate
        try gate.wait(for: "port of a gate") { !folder.read("port").isEmpty }
        client.use(port: Int(folder.read("port").split(separator: "\n").first ?? "") ?? 0)
    }

    /// Kills the gate as a crash would, and starts it again on the same spool. Written data stays, unlike in a power
    /// cut, which FleetTests/SpoolForkTests.powerCut covers.
    func kill() throws {
        program?.send(SIGKILL)
        kills.append(.now)
        client.use(port: 0)
        program?.wait()
        try start()
    }

    /// Stops the gate in order.
    ///
    /// - Returns: The exit code and the standard error.
    func stop() -> (status: Int32, said: String) {
        client.stop()
        let status = program?.stop() ?? -1
        return (status, program?.said ?? "")
    }

    /// The path of the spool.
    func spool() throws -> String {
        let path = folder.path("data/atsgate/spool")
        let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".sqlite") }
        guard names.count == 1 else { throw TestFailure(description: "\(names.count) spools in \(path)") }
        return path + "/" + names[0]
    }

    /// The loads that were certainly written: none that was in flight in the seconds before a kill.
    var certain: [String] {
        client.answers.filter { answer in
            let (asked, answered) = (answer.times.lowerBound, answer.times.upperBound)
            return !kills.contains { (asked..<answered + grace).contains($0) }
        }.map(\.url)
    }
}

/// A gate gathers records for 40 ms, and its disk may be slow.
private let grace = Duration.seconds(4)

extension Folder {
    func remove(_ name: String) { try? FileManager.default.removeItem(atPath: path(name)) }
}
