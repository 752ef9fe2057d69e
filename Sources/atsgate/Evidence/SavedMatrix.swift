import ATSPolicy
import Diagnosis
import Evidence
import Files
import Foundation
import Records

/// The output of `probe --matrix --json`: one object for each target, one per line.
struct SavedMatrix {
    private struct Target: Decodable {
        let url: String
        let os: String
        let matrix: [Row]?
    }

    fileprivate struct Row: Decodable {
        let name: String
        let result: String
        let code: Int?
        let streamCode: Int?
    }

    /// The tests of each host.
    fileprivate private(set) var hosts: [String: (profile: OSProfile, rows: [Row])] = [:]

    /// - Throws: ``CommandFailure`` with 65.
    init(file: String) throws(CommandFailure) {
        let text: String
        do { text = try InputFile.text(of: file) } catch { throw .badInput("\(file) cannot be read: \(error)") }
        for line in text.split(separator: "\n") {
            guard let target = try? JSONDecoder().decode(Target.self, from: Data(line.utf8)), let rows = target.matrix,
                let host = URL(string: target.url)?.host(), let profile = OSProfile.named(target.os)
            else { continue }
            hosts[host.lowercased()] = (profile, rows)
        }
        guard !hosts.isEmpty else {
            throw .badInput("\(file) contains no matrix; atsgate probe --matrix --json URL writes one")
        }
    }
}

extension ComparisonArguments {
    /// Compares nscurl's tests with those of the matrix, by host and name.
    ///
    /// - Throws: ``CommandFailure``, and what `each` throws.
    func compare(_ matrix: SavedMatrix, _ each: (ComparedLoad) throws -> Void) throws -> ComparisonEnd {
        guard !paths.isEmpty else { throw CommandFailure.usage("--matrix needs an output of nscurl --ats-diagnostics") }
        var end = ComparisonEnd()
        var failure: (any Error)?
        end.reading = try LogArguments.read(paths) { task in
            guard failure == nil, task.source == .nscurl, let load = MatrixLoad(task, matrix) else { return }
            end.compared += 1
            do { try each(load.compared) } catch { failure = error }
        }
        if let failure { throw failure }
        return end
    }
}

/// A test of nscurl and the same test of a matrix.
private struct MatrixLoad {
    let compared: ComparedLoad

    /// Compares the test; nil for a host that is not in the matrix.
    init?(_ task: EvidenceTask, _ matrix: SavedMatrix) {
        guard let target = task.target, let known = matrix.hosts[target.host] else { return nil }
        let outcome: RecordedDevice.Outcome = task.outcome == .allowed ? .accepted : .refused
        let told = task.recordedDevice
        let device = RecordedDevice(
            outcome, how: told.how, confidence: told.confidence,
            facts: DeviceFacts(code: told.code, streamCode: told.streamCode), place: told.place, proxied: told.proxied)
        let row = known.rows.first { $0.name == task.task }
        let gate = GatePrediction(row.outcome, demands: nil, basis: RulingBasis(step: .secureDefault))
        compared = ComparedLoad(
            load: DeviceLoad(
                url: task.url ?? target.origin + "/", target: target, profile: known.profile, isReleaseKnown: true,
                device: device, unixSeconds: 0),
            comparison: LoadComparison(device, gate, scheme: target.scheme), declaration: .secureDefaults)
    }
}

extension SavedMatrix.Row? {
    fileprivate var outcome: GatePrediction.Outcome {
        guard let row = self else { return .undecided("the matrix has no test of that name") }
        guard row.result != "PASS" else { return .passes }
        let error = AppleError(
            domain: "NSURLErrorDomain", code: row.code ?? 0, constant: "", message: "",
            stream: AppleError.Stream(domain: row.streamCode == nil ? nil : 3, code: row.streamCode),
            confidence: .inferred)
        return .refused(error, rule: nil)
    }
}
