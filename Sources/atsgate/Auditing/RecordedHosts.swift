import ATSPolicy
import Diagnosis
import Records
import Reporting

/// The targets of a recording's loads, for `audit --recording`.
enum RecordedHosts {
    /// - Returns: the number of loads of each target.
    /// - Throws: ``CommandFailure`` with 65 if the recording does not exist, with 3 if it is empty.
    static func loads(of recording: String, _ choices: GateChoices) throws -> [LoadTarget: Int] {
        let (reader, path) = try choices.openedStore()
        try reader.check(recording: recording, path: path)
        var loads: [LoadTarget: Int] = [:]
        try reader.forEachGroup(matching: RecordFilter(recording: recording)) {
            loads[$0.target, default: 0] += $0.loads
        }
        guard !loads.isEmpty else { throw CommandFailure.nothing("recording \(recording) contains no loads") }
        return loads
    }
}
