/// Metrics in Prometheus' text format. Source: Prometheus, Exposition formats, text format 0.0.4.
struct Metrics {
    enum Kind: String {
        /// Never decreases.
        case counter
        case gauge
        case histogram
    }

    typealias Labels = KeyValuePairs<String, String>

    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    private var lines: [String] = []

    var text: [UInt8] { lines.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] } }

    /// Adds one number, or one for each set of labels.
    ///
    /// - Parameters:
    ///   - name: ends with the unit and, for a counter, `_total`.
    ///   - help: one sentence on one line.
    mutating func add(
        _ kind: Kind, _ name: String, _ help: String, _ samples: [(labels: Labels, value: Int)]
    ) {
        begin(kind, name, help)
        for sample in samples { write(name, sample.labels, "\(sample.value)") }
    }

    /// Adds one number without labels.
    mutating func add(_ kind: Kind, _ name: String, _ help: String, _ value: some CustomStringConvertible & Numeric) {
        begin(kind, name, help)
        write(name, [:], "\(value)")
    }

    /// Adds a histogram: for each bound, the number of times that did not exceed it.
    mutating func add(_ name: String, _ help: String, _ times: TimeHistogram) {
        begin(.histogram, name, help)
        for (bound, count) in times.upTo {
            write(name + "_bucket", ["le": bound.map { "\(Double($0) / 1e6)" } ?? "+Inf"], "\(count)")
        }
        write(name + "_sum", [:], "\(Double(times.microseconds) / 1e6)")
        write(name + "_count", [:], "\(times.count)")
    }

    private mutating func begin(_ kind: Kind, _ name: String, _ help: String) {
        lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"]
    }

    private mutating func write(_ name: String, _ labels: Labels, _ value: String) {
        let labels = labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        lines.append("\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)")
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
