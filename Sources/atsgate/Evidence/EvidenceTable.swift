import Evidence
import Foundation
import Text

/// Prints each load as one line when it is read. Columns have fixed widths, because a log may be endless.
struct EvidenceTable {
    let head = Self.row(["OUTCOME", "CODE", "STREAM", "HOST", "SCHEME", "TLS", "ATS", "APP", "WHERE"])

    func line(_ task: EvidenceTask) -> String {
        Self.row([
            task.outcome.rawValue, task.code.map(String.init) ?? "-", task.streamCode.map(String.init) ?? "-",
            task.host ?? (task.isRedacted ? "(hidden)" : "-"), task.scheme ?? "-", task.tls?.version ?? "-",
            task.ats, task.app ?? "-", "\(task.log):\(task.line)",
        ])
    }

    private static func row(_ cells: [String]) -> String {
        zip(cells, widths + [0]).map { $0.printable.padded(to: $1) }.joined(separator: " ")
    }

    private static let widths = [7, 5, 6, 32, 6, 3, 7, 16]
}

extension EvidenceTask {
    /// The strength of ATS in the log: `strict`, `lax`, or `-` if neither line is printed.
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
