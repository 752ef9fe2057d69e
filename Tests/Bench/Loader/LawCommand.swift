import ATSPolicy
import ArgumentParser
import Foundation

/// The cost of one decision: a ruling, and the verdict on its handshake.
struct LawCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "law", abstract: "Times rulings with their verdicts, without any network.",
        discussion: """
            The loads are a fixed mix of those of the decision table. CPU time counts, so that other work on the \
            machine does not. Prints one line of JSON.
            """)

    @Option(help: "Rounds; the median round counts.")
    var rounds = 20

    @Option(help: "Decisions per round.")
    var decisions = 100_000

    func validate() throws {
        guard rounds > 0, decisions > 0 else { throw ValidationError("numbers must be above 0") }
        guard decisions.isMultiple(of: LawMix.loads.count) else {
            throw ValidationError("--decisions must be a multiple of \(LawMix.loads.count)")
        }
    }

    func run() throws {
        let judge = Judge(declaration: try LawMix.declaration(), profile: .newest)
        let loads = LawMix.loads
        var nanoseconds: [Double] = []
        var refused = 0
        // The first round fills the caches and is not counted.
        for round in 0...rounds {
            refused = 0
            let start = Self.processorNanoseconds
            for index in 0..<decisions where loads[index % loads.count].isRefused(by: judge) { refused += 1 }
            let spent = Self.processorNanoseconds - start
            if round > 0 { nanoseconds.append(Double(spent) / Double(decisions)) }
        }
        nanoseconds.sort()
        let median = Int(nanoseconds[nanoseconds.count / 2].rounded())
        let worst = Int((nanoseconds.last ?? 0).rounded())
        print(
            "{\"decisions\":\(decisions),\"rounds\":\(rounds),\"nanoseconds\":\(median),"
                + "\"worstNanoseconds\":\(worst),\"refused\":\(refused)}")
        // The expected number of blocked loads proves that the decisions were made.
        guard refused == decisions / loads.count * LawMix.refusals else { throw ExitCode.failure }
    }

    /// The CPU time of this thread.
    private static var processorNanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
