/// Numbers for machines that watch the gate. Source: Prometheus, Exposition formats, text format 0.0.4.
struct Metrics {
    enum Kind: String {
        /// Only ever grows.
        case counter
        case gauge
    }

    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    private var lines: [String] = []

    var text: [UInt8] { lines.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] } }

    /// Adds one number, or one for each set of labels.
    ///
    /// - Parameters:
    ///   - name: with the unit and, for a counter, `_total` at its end.
    ///   - help: one sentence on one line.
    mutating func add(
        _ kind: Kind, _ name: String, _ help: String, _ samples: [(labels: KeyValuePairs<String, String>, value: Int)]
    ) {
        lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"]
        for sample in samples {
            let labels = sample.labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            lines.append("\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(sample.value)")
        }
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
