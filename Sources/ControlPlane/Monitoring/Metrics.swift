import Bytes

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

    /// Adds the memory that holds data from clients and origins, in addition to their connections.
    mutating func addHeldBytes() {
        let held = ByteBudget.Purpose.allCases.map { ($0, ByteBudget.heldBytes(for: $0)) }
        add(
            .gauge, "atsgate_held_bytes", "Approximate memory for data from clients and servers, by purpose.",
            held.map { (["for": $0.0.rawValue], $0.1) })
        add(
            .gauge, "atsgate_held_all_bytes", "The sum of atsgate_held_bytes.",
            [([:], held.reduce(0) { $0 + $1.1 })])
    }
}

/// A histogram of durations.
struct TimeHistogram: Sendable {
    /// The sum of all durations, in microseconds.
    private(set) var microseconds: Int64 = 0
    private(set) var count = 0
    private var buckets = [Int](repeating: 0, count: bounds.count + 1)

    mutating func note(microseconds time: Int64) {
        microseconds += time
        count += 1
        buckets[Self.bounds.firstIndex { time <= $0 } ?? Self.bounds.count] += 1
    }

    /// The number of durations that did not exceed each bound, in microseconds; the nil bound includes all.
    var upTo: [(bound: Int64?, count: Int)] {
        var sum = 0
        return buckets.indices.map { index in
            sum += buckets[index]
            return (index < Self.bounds.count ? Self.bounds[index] : nil, sum)
        }
    }

    /// In microseconds: from a load answered on this machine to one that an app gave up.
    private static let bounds: [Int64] = [
        1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
        10_000_000, 30_000_000,
    ]
}
