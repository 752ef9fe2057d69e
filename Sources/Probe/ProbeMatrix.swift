public import ATSPolicy

/// The results of nscurl's tests for one URL.
public struct ProbeMatrix: Sendable {
    public struct Row: Sendable {
        public let test: MatrixTest
        public let result: ProbeResult

        /// As in nscurl: the load ended without an error.
        public var isPassed: Bool { result.verdict == .pass }
    }

    public let target: ProbeTarget
    public let rows: [Row]
}

extension Prober {
    /// Runs all tests in sequence, as nscurl does. They have four of the usual time limits together, so that a server
    /// that never answers is not waited for in each test. Tests after that end with a timeout.
    public func matrix(
        _ target: ProbeTarget, system: OSProfile, switches: JudgeSwitches = JudgeSwitches()
    ) async -> ProbeMatrix {
        let end = ContinuousClock.now + settings.timeout * 4
        var rows: [ProbeMatrix.Row] = []
        for test in MatrixTest.all(host: target.target.host) {
            let declaration = Declaration.secureDefaults.with(test.members)
            let judge = Judge(declaration: declaration, profile: system, switches: switches)
            let result = await probe(target, by: judge, seeksException: false, until: end)
            rows.append(ProbeMatrix.Row(test: test, result: result))
        }
        return ProbeMatrix(target: target, rows: rows)
    }
}
