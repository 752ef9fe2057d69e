import ATSPolicy
import Diagnosis
import Probe
import Text

/// One call of `probe`: its targets, rules and output.
struct ProbeRun: Sendable {
    let prober: Prober
    /// One judge per release.
    let judges: [Judge]
    let loader: Loader
    let targets: [ProbeTarget]
    let jobs: Int
    let output: Output

    /// One target on one release.
    private struct Job: Sendable {
        let target: ProbeTarget
        let judge: Judge
    }

    /// - Parameters:
    ///   - inRows: prints a line for each release, in text.
    ///   - style: the style of text.
    ///   - rules: the known failures.
    func probe(
        as format: ProbeFormat, inRows: Bool, style: ProbeStyle, by rules: JudgementRules
    ) throws -> [ProbeResult] {
        let results = try forEach { job in
            await prober.probe(
                job.target, by: job.judge, loader: loader, seeksException: format != .text || !inRows,
                asksNameless: style.isVerbose)
        } take: { index, result in
            switch format {
            case .json: try write(ProbeReport(result).json + "\n")
            case .text where style.isQuiet:
                if result.word != .allowed {
                    try write((inRows ? result.target.url + "\n" + result.row : result.words(style)) + "\n")
                }
            case .text where inRows:
                let isFirst = index % judges.count == 0
                try write((isFirst ? (index == 0 ? "" : "\n") + result.target.url + "\n" : "") + result.row + "\n")
            case .text: try write((index == 0 ? "" : "\n") + result.words(style) + "\n")
            case .junit, .sarif, .github, .gitlab, .markdown, .csv: break
            }
        }
        if format == .text, results.count > 1, !style.isQuiet { try write("\n" + count(results) + "\n") }
        if let document = format.document(
            results, under: judges[0].declaration, by: rules, toolVersion: toolVersion)
        {
            try write(document)
        }
        return results
    }

    /// `24 targets: 20 allowed, 3 blocked, 1 unknown`; with several releases each target counts once for each.
    private func count(_ results: [ProbeResult]) -> String {
        let parts = ProbeResult.Word.allCases.compactMap { word in
            let number = results.count { $0.word == word }
            return number == 0 ? nil : "\(number) \(word.rawValue)"
        }
        let systems = judges.count == 1 ? "" : " on \(judges.count) releases"
        return "\(targets.count) \(targets.count == 1 ? "target" : "targets")\(systems): "
            + parts.joined(separator: ", ")
    }

    /// - Returns: the exit code.
    func runMatrix(asJSON: Bool, isVerbose: Bool) throws -> Int32 {
        if let cleartext = targets.first(where: { $0.target.scheme == .http }) {
            throw CommandFailure.usage("\(cleartext.url): the tests of nscurl are only for https")
        }
        let isSeveral = judges.count > 1
        let matrices = try forEach { job in
            await prober.matrix(job.target, system: job.judge.system, switches: job.judge.switches)
        } take: { _, matrix in
            let result = matrix.rows[0].result
            guard !asJSON else { return try write(ProbeReport(result, matrix: matrix).json + "\n") }
            let heading = isSeveral ? "# \(result.system.title)\n" : ""
            try write(heading + matrix.listing(isVerbose: isVerbose) + "\n" + matrix.conclusion + "\n")
        }
        return Self.status(of: matrices.map { $0.rows[0].result })
    }

    /// Prints the lines of `nscurl --tls-diagnostics`, under a heading if there are several results.
    ///
    /// - Returns: the exit code.
    func runDiagnostics() throws -> Int32 {
        let isAlone = targets.count == 1 && judges.count == 1
        let results = try forEach { job in
            await prober.probe(job.target, by: job.judge, loader: loader, seeksException: false)
        } take: { _, result in
            let place = "\(result.target.url) on \(result.system.title)"
            guard let lines = result.tlsDiagnostics else {
                let reason = result.rule?.rawValue ?? "an http URL"
                return StandardError.writeLine("atsgate: \(place): no handshake: \(reason)".printable)
            }
            if result.decisive?.quantumSecurity == .unknown {
                StandardError.writeLine("atsgate: \(place): \(QuantumSecurity.unknown.words)".printable)
            }
            try write((isAlone ? "" : "# \(place.printable)\n") + lines + "\n")
        }
        return Self.status(of: results)
    }

    /// - Returns: the exit code.
    func reviewExceptions(asJSON: Bool) throws -> Int32 {
        let judge = judges[0]
        guard !judge.declaration.entries.isEmpty || judge.declaration.members.last(ATSKey.arbitraryLoads) != nil else {
            throw CommandFailure.nothing(
                "the dictionary has no NSExceptionDomains to check; name another one with --policy")
        }
        let progress = ProbeProgress()
        let (prober, loader, known, jobs) = (prober, loader, targets.map(\.target), jobs)
        let review = try blocking {
            await prober.review(judge, loader: loader, known: known, jobs: jobs) {
                progress.show($0, of: $1, "entries")
            }
        }
        progress.clear()
        if !asJSON { StandardError.write(review.words) }
        try write(asJSON ? review.json + "\n" : review.propertyList)
        return review.canBeReduced ? 1 : review.isUncertain ? 2 : 0
    }

    /// A target that fails takes precedence over one that was not reached, and that over a proxy that hid all others.
    static func status(of results: [ProbeResult]) -> Int32 {
        if results.contains(where: { $0.verdict == .fail }) { return 1 }
        if !results.isEmpty, results.allSatisfy(\.isDecrypted) { return 3 }
        return results.contains { $0.verdict == .error } ? 2 : 0
    }

    /// Works on every target for every release, and returns the results in their order.
    private func forEach<Answer: Sendable>(
        _ work: @escaping @Sendable (Job) async -> Answer, take: @escaping @Sendable (Int, Answer) throws -> Void
    ) throws -> [Answer] {
        let all = targets.flatMap { target in judges.map { Job(target: target, judge: $0) } }
        let progress = ProbeProgress()
        let jobs = jobs
        return try blocking {
            var answers: [Answer] = []
            var done = 0
            try await workInOrder(on: all, jobs: jobs, work) { job in
                done += 1
                progress.show(done, of: all.count, job.target.url)
            } take: { index, answer in
                progress.clear()
                try take(index, answer)
                answers.append(answer)
            }
            progress.clear()
            return answers
        }
    }

    private func write(_ text: String) throws {
        try output.write(Array(text.utf8))
    }
}
