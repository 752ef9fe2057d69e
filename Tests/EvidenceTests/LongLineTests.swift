import Evidence
import Foundation
import Testing

@Suite("reading time of long lines", .serialized)
struct LongLineTests {
    private static let size = 250 << 10
    private static let error =
        "2026-10-07 15:30:54 A[1:2] Task \(Names.one) finished with error [-1200] Error Domain=NSURLErrorDomain UserInfo={"

    /// The processor time that reading takes, in seconds.
    private static func seconds(_ text: String) -> Double {
        let bytes = Array(text.utf8)
        let start = processorTime
        _ = LogReading.read(bytes)
        return processorTime - start
    }

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Quadratic time would be 250 times as long. The limit is 20 times, plus half a second for other work.
    @Test(
        "one long line of many pieces takes about as long as many short lines",
        arguments: [
            "2026-10-02 16:15:07 ", "2026-10-07 15:30:54 A[1:2] ", "2026-10-02T16:15:07.21 S{C}[4] <D>: x",
            "Jul  1 21:40:07 phone S(C)[4] <Notice>: ", "default\t11:00:00.1+0800\tA\t",
            "2026-10-07 15:30:54 0x2f 0x1 0x2 461 0 A: ", "[a][b]", "[", "]", "{", "}", "(", "\"", "\\u0041",
            "{\"a\":1}",
            "{\"a\":\"\\\\", "Task ", "Task <", "[C1", "://", "https://a", "Error Domain={20", "<cert(0x i: >",
            "NSErrorFailingURLKey=", "} [1", "CFNetwork Diagnostics [", "\u{1B}[1m", "\u{1B}]", "=", " ", "20", "name(",
        ])
    func pieces(piece: String) {
        for start in ["", Self.error] {
            let count = Self.size / piece.utf8.count
            let few = max(1, 1024 / piece.utf8.count)
            let line = start + String(repeating: piece, count: count)
            let lines = Array(repeating: start + String(repeating: piece, count: few), count: count / few)
            let (long, short) = (Self.seconds(line), Self.seconds(lines.joined(separator: "\n")))
            #expect(long < 20 * short + 0.5, "\(piece): \(long) s for a line, \(short) s for \(lines.count)")
        }
    }
}
