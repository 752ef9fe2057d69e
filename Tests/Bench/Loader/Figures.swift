import Foundation

/// The results of a run.
struct Figures: Sendable {
    /// Answers with the expected status and size.
    var requests = 0
    var seconds = 0.0
    /// One for each good answer.
    var microseconds: [UInt32] = []
    /// Connections that failed.
    var errors = 0
    /// Failed connections with a load in flight.
    var lost = 0
    /// Answers with another status or size than expected.
    var bad = 0
    /// Open connections, for runs without loads.
    var held = 0
    /// The first problem, as text.
    var trouble: String?
    /// Bytes of bodies in both directions.
    var bodyBytes: Int64 = 0

    /// Adds the figures of another thread.
    mutating func add(_ other: Figures) {
        requests += other.requests
        seconds = max(seconds, other.seconds)
        microseconds += other.microseconds
        errors += other.errors
        lost += other.lost
        bad += other.bad
        held += other.held
        trouble = trouble ?? other.trouble
        bodyBytes += other.bodyBytes
    }

    /// Writes one JSON object to standard output immediately.
    func printAsLine() {
        let sorted = microseconds.sorted()
        let line = Line(
            requests: requests, seconds: seconds, rps: seconds > 0 ? Double(requests) / seconds : 0,
            p50: Self.quantile(0.5, of: sorted), p99: Self.quantile(0.99, of: sorted), errors: errors, lost: lost,
            bad: bad, held: held, bodyBytes: bodyBytes, trouble: trouble)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard var text = try? encoder.encode(line) else { return }
        text.append(0x0A)
        FileHandle.standardOutput.write(text)
    }

    private struct Line: Encodable {
        let requests: Int
        let seconds: Double
        let rps: Double
        /// Microseconds from the request to the last byte of its answer.
        let p50: UInt32
        let p99: UInt32
        let errors: Int
        let lost: Int
        let bad: Int
        let held: Int
        let bodyBytes: Int64
        let trouble: String?
    }

    /// The value that `share` of all values do not exceed; 0 if there are none.
    private static func quantile(_ share: Double, of sorted: [UInt32]) -> UInt32 {
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}
