import Evidence
import Foundation
import Text

/// Prints each load as one line when it is read. Columns have fixed widths, because a log may be endless.
struct EvidenceTable {
    /// The words of the column ATS that occurred.
    private var strengths: Set<String> = []
    let head = Self.row(["OUTCOME", "CODE", "STREAM", "HOST", "SCHEME", "TLS", "ATS", "APP", "WHERE"])

    mutating func line(_ task: EvidenceTask) -> String {
        strengths.insert(task.ats)
        return Self.row([
            task.outcome.rawValue, task.code.map(String.init) ?? "-", task.streamCode.map(String.init) ?? "-",
            task.host ?? (task.isRedacted ? "(hidden)" : "-"), task.scheme ?? "-", task.tls?.version ?? "-",
            task.ats, task.app ?? "-", "\(task.log):\(task.line)",
        ])
    }

    /// The meaning of these words, for the end of the table.
    var legend: [String] {
        Self.meanings.filter { strengths.contains($0.word) }.map { "ATS \($0.word): \($0.meaning)" }
    }

    private static let meanings = [
        (word: "strict", meaning: "the log shows requirements of ATS for the load"),
        (word: "strict?", meaning: "the log shows the result of a trust check by ATS, but not its requirements"),
        (word: "lax", meaning: "the log shows that ATS had no requirements for the load"),
        (word: "test", meaning: "a test of nscurl, with its own dictionary"),
    ]

    private static func row(_ cells: [String]) -> String {
        zip(cells, widths + [0]).map { $0.printable.padded(to: $1) }.joined(separator: " ")
    }

    private static let widths = [7, 5, 6, 32, 6, 3, 7, 16]
}

extension EvidenceTask {
    /// The strength of ATS in the log; `-` if no line shows it.
    fileprivate var ats: String {
        if let strength = ruling?["strength"] { return strength == 0 ? "lax" : "strict" }
        if task != nil, source == .nscurl { return "test" }
        return systemTrust == nil ? "-" : "strict?"
    }
}

/// Collects lines and writes them to a descriptor in batches.
struct LineSink {
    /// The usual size of a batch in bytes.
    static let usual = 64 << 10
    private let output: Output
    private var bytes: [UInt8] = []

    init(_ output: Output) {
        self.output = output
    }

    mutating func add(_ line: String) {
        bytes.append(contentsOf: line.utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func flush(atLeast size: Int = 1) throws(Output.Failure) {
        guard bytes.count >= size else { return }
        try output.write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }
}
