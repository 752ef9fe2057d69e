import ATSPolicy
import Declarations
import Diagnosis
import Evidence
import Files
import Foundation
import Probe
import ProxyServer
import Records
import Reporting
import Text

/// Targets from arguments, lists and recordings, without duplicates.
struct ProbeInput {
    private(set) var targets: [ProbeTarget] = []
    private var seen = Set<LoadTarget>()

    /// - Throws: ``CommandFailure`` with 64 for text that is neither a URL nor a host.
    mutating func add(_ text: String) throws(CommandFailure) {
        do throws(URLTextError) {
            add(try ProbeTarget(text))
        } catch {
            throw .usage("\(error)")
        }
    }

    /// Reads a list with one target per line, its first word; lines that begin with # are comments. Of a HAR file, each
    /// entry's server is a target.
    ///
    /// - Parameter path: - for standard input.
    /// - Throws: ``CommandFailure`` with 65, naming the line.
    mutating func addFile(at path: String) throws(CommandFailure) {
        let descriptor = try Self.reading(path) { () throws(FileFault) in
            try InputFile.open(path == "-" ? "/dev/stdin" : path)
        }
        defer { close(descriptor) }
        func bytes(upTo limit: Int) throws(CommandFailure) -> [UInt8] {
            try Self.reading(path) { () throws(FileFault) in try InputFile.bytes(of: descriptor, upTo: limit) }
        }
        let beginning = try bytes(upTo: EvidenceReader.beginningBytes)
        guard !EvidenceReader.isHAR(beginning) else {
            return try addEntries(beginning, of: path) { () throws(CommandFailure) in try bytes(upTo: Self.pieceBytes) }
        }
        let list = try beginning + bytes(upTo: Self.mostListBytes + 1 - beginning.count)
        let text = try Self.reading(path) { () throws(FileFault) in
            guard list.count <= Self.mostListBytes else { throw .tooLong }
            guard let text = String(validating: list, as: UTF8.self) else { throw .notUTF8 }
            return text
        }
        try addLines(text, of: path)
    }

    private mutating func addLines(_ text: String, of path: String) throws(CommandFailure) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard let word = line.split(whereSeparator: \.isWhitespace).first, !word.hasPrefix("#") else { continue }
            do throws(URLTextError) {
                add(try ProbeTarget(String(word)))
            } catch {
                throw .badInput("\(path):\(index + 1): \(error)")
            }
        }
    }

    /// Adds the servers of a HAR file. Paths and queries, which may contain secrets, are left out: a probe sends no
    /// request.
    ///
    /// - Parameter next: returns the following bytes, none at the end.
    private mutating func addEntries(
        _ beginning: [UInt8], of path: String, next: () throws(CommandFailure) -> [UInt8]
    ) throws(CommandFailure) {
        var reader = EvidenceReader(log: path)
        var servers = HARServers()
        var piece = beginning
        while !piece.isEmpty {
            piece.withUnsafeBytes { reader.read($0) { servers.add($0) } }
            guard servers.targets.count <= Self.mostServers else {
                throw .badInput("\(path.printable):\(reader.lines): the HAR has more than \(Self.mostServers) servers")
            }
            piece = try next()
        }
        reader.finish { servers.add($0) }
        guard reader.counts.brokenObjects == 0 else {
            throw .badInput("\(path.printable):\(reader.lines): the HAR is cut off or is not JSON")
        }
        let skipped = reader.entries - servers.entries
        let rest = skipped == 0 ? "" : "; \(skipped) without an http or https server"
        StandardError.writeLine(
            "atsgate probe: \(path.printable): \(reader.entries) entries of \(servers.targets.count) servers\(rest)")
        for target in servers.targets { add(ProbeTarget(target)) }
    }

    private static func reading<Value>(
        _ path: String, _ body: () throws(FileFault) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(FileFault) {
            return try body()
        } catch {
            throw .badInput("\(path.printable) cannot be read: \(error)")
        }
    }

    /// Adds every host of a recording.
    ///
    /// - Throws: ``CommandFailure``.
    mutating func addRecording(_ name: String, of choices: GateChoices) throws {
        for group in try choices.openedStore().groups(of: name) { add(ProbeTarget(group.target)) }
    }

    private mutating func add(_ target: ProbeTarget) {
        if seen.insert(target.target).inserted { targets.append(target) }
    }

    private static let mostListBytes = 16 << 20
    private static let pieceBytes = 256 << 10
    /// A limit against forged files: some 10 MB of targets.
    private static let mostServers = 100_000
}

/// The servers of a HAR file, each once, in the order of the entries.
private struct HARServers {
    private(set) var targets: [LoadTarget] = []
    /// The number of entries with a server.
    private(set) var entries = 0
    private var seen = Set<LoadTarget>()

    mutating func add(_ task: EvidenceTask) {
        guard let text = task.url, let target = try? URLText.parse(text).target else { return }
        entries += 1
        if seen.insert(target).inserted { targets.append(target) }
    }
}
