import ATSPolicy
import Declarations
import Diagnosis
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

    /// Reads a list with one target per line, its first word; lines that begin with # are comments.
    ///
    /// - Parameter path: - for standard input.
    /// - Throws: ``CommandFailure`` with 65, naming the line.
    mutating func addList(at path: String) throws(CommandFailure) {
        let text: String
        do {
            text = try InputFile.text(of: path == "-" ? "/dev/stdin" : path)
        } catch {
            throw .badInput("\(path) cannot be read: \(error)")
        }
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard let word = line.split(whereSeparator: \.isWhitespace).first, !word.hasPrefix("#") else { continue }
            do throws(URLTextError) {
                add(try ProbeTarget(String(word)))
            } catch {
                throw .badInput("\(path):\(index + 1): \(error)")
            }
        }
    }

    /// Adds every host of a recording.
    ///
    /// - Throws: ``CommandFailure``.
    mutating func addRecording(_ name: String, of choices: GateChoices) throws {
        let (reader, path) = try choices.openedStore()
        try reader.check(recording: name, path: path)
        try reader.forEachGroup(matching: RecordFilter(recording: name)) {
            add(ProbeTarget(try EvidenceGroup(recorded: $0).evidence.target))
        }
    }

    private mutating func add(_ target: ProbeTarget) {
        if seen.insert(target.target).inserted { targets.append(target) }
    }
}
