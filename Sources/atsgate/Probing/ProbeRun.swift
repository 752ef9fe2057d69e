import ATSPolicy
import Probe

/// One call of `probe`: what is asked, of whom, and where the answers go.
struct ProbeRun: Sendable {
    enum Shape: Sendable {
        /// Several lines a target.
        case text
        /// A line for each system.
        case rows
        case json
    }

    let prober: Prober
    /// One for each system.
    let judges: [Judge]
    let loader: Loader
    let targets: [ProbeTarget]
    let jobs: Int

    private struct Job: Sendable {
        let target: ProbeTarget
        let judge: Judge
    }

    /// - Returns: the exit code.
    func probe(as shape: Shape, asksNameless: Bool) throws -> Int32 {
        let jobsToDo = targets.flatMap { target in judges.map { Job(target: target, judge: $0) } }
        return try forEach(jobsToDo) { job in
            await prober.probe(
                job.target, by: job.judge, loader: loader, seeksException: shape != .rows, asksNameless: asksNameless)
        } text: { index, result in
            switch shape {
            case .json: ProbeReport(result).json + "\n"
            case .text: (index == 0 ? "" : "\n") + result.words + "\n"
            case .rows:
                (index % judges.count == 0 ? (index == 0 ? "" : "\n") + result.target.url + "\n" : "") + result.row
                    + "\n"
            }
        }
    }

    /// - Returns: the exit code.
    func runMatrix(asJSON: Bool, isVerbose: Bool) throws -> Int32 {
        if let cleartext = targets.first(where: { $0.target.scheme == .http }) {
            throw CommandFailure.usage("\(cleartext.url): the tests of nscurl are for https")
        }
        let jobsToDo = targets.flatMap { target in judges.map { Job(target: target, judge: $0) } }
        let isSeveral = judges.count > 1
        return try forEach(jobsToDo) { job in
            let matrix = await prober.matrix(job.target, system: job.judge.system, switches: job.judge.switches)
            return (matrix, matrix.rows[0].result)
        } result: {
            $0.1
        } text: { _, answer in
            guard !asJSON else { return ProbeReport(answer.1, matrix: answer.0).json + "\n" }
            let heading = isSeveral ? "# \(answer.1.system.title)\n" : ""
            return heading + answer.0.listing(isVerbose: isVerbose) + "\n" + answer.0.conclusion + "\n"
        }
    }

    /// - Returns: the exit code.
    func reviewExceptions(asJSON: Bool) throws -> Int32 {
        let judge = judges[0]
        guard !judge.declaration.entries.isEmpty else {
            throw CommandFailure.nothing(
                "the dictionary has no NSExceptionDomains to ask about; name one with --policy")
        }
        let progress = ProbeProgress()
        let (prober, loader, known) = (prober, loader, targets.map(\.target))
        let review = try blocking {
            await prober.review(judge, loader: loader, known: known) { progress.show($0, of: $1, "entries") }
        }
        progress.clear()
        if !asJSON { StandardError.write(review.words) }
        try write(asJSON ? review.json + "\n" : review.propertyList)
        return review.isCleaner ? 1 : review.isUncertain ? 2 : 0
    }

    private func forEach(
        _ jobsToDo: [Job], _ work: @escaping @Sendable (Job) async -> ProbeResult,
        text: @escaping @Sendable (Int, ProbeResult) -> String
    ) throws -> Int32 {
        try forEach(jobsToDo, work, result: { $0 }, text: text)
    }

    private func forEach<Answer: Sendable>(
        _ jobsToDo: [Job], _ work: @escaping @Sendable (Job) async -> Answer,
        result: @escaping @Sendable (Answer) -> ProbeResult, text: @escaping @Sendable (Int, Answer) -> String
    ) throws -> Int32 {
        let progress = ProbeProgress()
        let jobs = jobs
        return try blocking {
            var status: Int32 = 0
            var done = 0
            try await workInOrder(on: jobsToDo, jobs: jobs, work) { job in
                done += 1
                progress.show(done, of: jobsToDo.count, job.target.url)
            } take: { index, answer in
                progress.clear()
                try write(text(index, answer))
                status = Self.worse(status, result(answer).verdict)
            }
            progress.clear()
            return status
        }
    }

    /// A target that fails outweighs one that was not reached.
    private static func worse(_ status: Int32, _ verdict: ProbeResult.Verdict) -> Int32 {
        switch verdict {
        case .pass: status
        case .fail: 1
        case .error: status == 1 ? 1 : 2
        }
    }

    private func write(_ text: String) throws {
        try Output.withOutput(to: nil) { try $0.write(Array(text.utf8)) }
    }
}
