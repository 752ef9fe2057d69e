import ATSPolicy
import Audit
import Probe
import ProxyServer
import Records

/// Test handshakes with the hosts of an app, for `audit --probe`.
struct HostProbes {
    /// The number of hosts that are tested.
    let limit: Int
    let timeout: Duration

    /// Tests https hosts that are not local, in the order of the page. http hosts have a ruling, which needs no
    /// connection.
    func results(for report: AuditReport, _ choices: GateChoices) throws -> [LoadTarget: HostProbe] {
        let hosts = report.hosts.filter { !$0.row.isCleartext && !$0.isLocal }
        if hosts.count > limit {
            StandardError.writeLine(
                "atsgate audit: --probe tests \(limit) of \(hosts.count) hosts; --probe-limit tests more")
        }
        let jobs = hosts.prefix(limit).map { host in
            let declaration = report.executables.first { host.row.executables.contains($0.path) }?.declaration
            return Job(
                target: host.row.target,
                judge: Judge(
                    declaration: declaration ?? .secureDefaults, profile: report.profile,
                    switches: choices.settings.switches))
        }
        let prober = try choices.prober(timeout: timeout, addresses: .first)
        defer { prober.stop() }
        let progress = ProbeProgress()
        let results = try blocking {
            var done = 0
            return await workInOrder(on: jobs, jobs: Self.jobs) { job in
                (job.target, await Self.probe(job, with: prober))
            } done: { job in
                done += 1
                progress.show(done, of: jobs.count, job.target.host)
            }
        }
        progress.clear()
        return Dictionary(results, uniquingKeysWith: { first, _ in first })
    }

    private struct Job: Sendable {
        let target: LoadTarget
        let judge: Judge
    }

    private static func probe(_ job: Job, with prober: Prober) async -> HostProbe {
        let result = await prober.probe(ProbeTarget(job.target), by: job.judge, seeksException: false)
        let verdict: HostProbe.Result =
            switch result.verdict {
            case .pass: .pass
            case .fail: .fail
            case .error: .error
            }
        let codes = result.diagnosis?.apple.map { " \($0.codes)" } ?? ""
        let rule = result.rule.map { " \($0.rawValue)" } ?? ""
        return HostProbe(verdict, words: result.word.rawValue + rule + (result.verdict == .pass ? "" : codes))
    }

    private static let jobs = 8
}
