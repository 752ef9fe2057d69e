import ATSPolicy
import Dialing
import Foundation
import Lab
import Logging
import NetLoop
import Processes
import ProxyCore
import ProxyServer
import Records
import Reporting
import TLSEngine
import Testing

/// A gate on a free port with routes to the lab, its own CA, and a sink whose records tests can read.
final class Rig: Sendable {
    let folder: URL
    let gate: Gate
    let archive: Archive
    let sink = MemorySink()

    /// - Parameters:
    /// - policy: text of a property list or JSON file; nil for the secure defaults.
    /// - change: changes the settings last.
    init(
        policy: String? = nil, sinks: [any RecordSink] = [], lab given: Lab? = nil,
        _ change: (inout GateSettings) -> Void = { _ in }
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "atsgate-rig-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let lab = try given ?? SharedLabs.shared.get()
        let root = folder.appending(path: "lab-root.pem")
        try lab.writeRoot(to: root.path)
        var settings = GateSettings()
        settings.listeners = [ListenAddress(host: "127.0.0.1", port: 0)]
        settings.caDirectory = folder.appending(path: "ca").path
        settings.roots = [root.path]
        settings.recording = "rig"
        settings.loops = 2
        settings.connectTo = lab.origins.map {
            ConnectTo(host: $0.name, port: $0.port, toHost: "127.0.0.1", toPort: $0.realPort)
        }
        if let policy {
            let path = folder.appending(path: "policy.json")
            try Data(policy.utf8).write(to: path)
            settings.policyPath = path.path
        }
        change(&settings)
        archive = Archive(sinks: [sink] + sinks) { print("archive:", $0) }
        do {
            gate = try Gate(GateOpening(settings), archive: archive, log: Logger(label: "rig"))
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    var proxy: String { "http://127.0.0.1:\(port)" }
    var port: Int { gate.addresses.first?.port ?? 0 }
    var policyPath: URL { folder.appending(path: "policy.json") }

    /// Runs curl through the gate; curl trusts the gate's CA.
    func curl(_ arguments: String..., proxied: Bool = true) async throws -> Outcome {
        try await curl(arguments, proxied: proxied)
    }

    func curl(_ arguments: [String], proxied: Bool = true) async throws -> Outcome {
        let always = ["-sS", "--max-time", "20", "--cacert", gate.authority.certificatePath ?? ""]
        return try await Outcome.run("curl", always + (proxied ? ["-x", proxy] : []) + arguments)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Stops the gate and returns all its records in the order in which the loads began; the loops record
    /// independently.
    @discardableResult
    func finish() -> [LoadRecord] {
        gate.stop()
        _ = archive.close()
        return sink.records.sorted { $0.time < $1.time }
    }
}

/// One lab for all tests of this target: making its certificates takes a while.
enum SharedLabs {
    static let shared = Result { try Lab(now: Int64(Date().timeIntervalSince1970)) }
    /// A lab with an origin for every suite and edge case.
    static let full = Result { try Lab(now: Int64(Date().timeIntervalSince1970), extent: .full) }
}

/// A program's output and exit status.
struct Outcome: Sendable {
    let status: Int32
    let output: String
    let complaint: String

    /// Runs a program found on PATH to its end.
    ///
    /// - Parameter input: a file for standard input; nil for an empty one.
    static func run(_ program: String, _ arguments: [String], input: URL? = nil) async throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let output = Pipe()
        let complaint = Pipe()
        process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = complaint
        try process.run()
        async let said = read(output.fileHandleForReading)
        async let complained = read(complaint.fileHandleForReading)
        let texts = await (said, complained)
        process.waitForEnd()
        return Outcome(status: process.terminationStatus, output: texts.0, complaint: texts.1)
    }

    private static func read(_ reading: FileHandle) async -> String {
        await withCheckedContinuation { continuation in
            // A separate queue: the loops share the global one, and this call blocks.
            DispatchQueue(label: "rig.read").async {
                let data = reading.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}
