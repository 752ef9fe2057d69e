import ArgumentParser
import Foundation
import Records
import Reporting

/// Fills a store with generated loads, for measuring reports.
struct StoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Writes a store of generated loads, as a gate would have recorded them.",
        discussion: "The same options give the same loads. Findings, errors and remedies are those of the real rules.")

    @Argument(help: "The file; it must not exist.")
    var path: String

    @Option(help: "Loads.")
    var loads = 1_000_000

    @Option(help: "Host names.")
    var hosts = 200

    @Option(help: "The loads of one in so many hosts are blocked.")
    var blockedOneIn = 10

    @Option(help: "Paths of all hosts together; 0 for a different one in each load.")
    var paths = 5000

    @Option(help: "Loads of one connection.")
    var perConnection = 20

    @Option(help: "The recording's name.")
    var recording = "bench"

    func validate() throws {
        guard loads > 0, hosts > 0, blockedOneIn > 0, paths >= 0, perConnection > 0 else {
            throw ValidationError("numbers must be above 0")
        }
        guard !FileManager.default.fileExists(atPath: path) else { throw ValidationError("\(path) already exists") }
    }

    func run() throws {
        let sink = try StoreSink(path: path)
        var mix = try StoreMix(
            hosts: hosts, oneIn: blockedOneIn, paths: paths, perConnection: perConnection, recording: recording)
        var ids = RecordIDMaker(maker: 0xBE_2C4)
        for start in stride(from: 0, to: loads, by: batch) {
            try sink.write(
                (start..<min(start + batch, loads)).map { number in
                    var record = mix.record(number)
                    record.id = ids.next(time: record.time)
                    return record
                })
        }
        try sink.close()
    }
}

/// The batch size of a busy gate.
private let batch = 500
