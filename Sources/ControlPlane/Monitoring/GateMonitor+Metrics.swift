import ATSPolicy
import Records
import Reporting

extension GateMonitor {
    /// All numbers, as Prometheus reads them. Blocks for ``patience`` at most.
    ///
    /// A label is never a host, an address, a URL, a path or the name of a recording: who may read numbers is not
    /// told what is loaded, and there are never more series than verdicts times rules.
    var metrics: Metrics {
        var metrics = Metrics()
        addLoads(to: &metrics)
        let pulse = pulse
        metrics.add(
            .gauge, "atsgate_ready", "1 where the gate takes loads, as /readyz has it.",
            obstacles(pulse).isEmpty ? 1 : 0)
        if let signs, let pulse { add(signs, pulse, to: &metrics) }
        let reloads = reloads
        metrics.add(
            .counter, "atsgate_policy_reloads_total", "Policies that were put in force while the gate runs.",
            reloads.inForce)
        metrics.add(
            .counter, "atsgate_policy_reload_failures_total",
            "Policies that could not be read, so that the old one stayed in force.", reloads.refused)
        metrics.add(
            .gauge, "atsgate_policy_last_reload_successful", "1, or 0 where the last one could not be read.",
            reloads.isLastInForce ? 1 : 0)
        metrics.addHeldBytes()
        metrics.add(.gauge, "atsgate_build_info", "What runs here.", [(["version": version], 1)])
        process.add(to: &metrics)
        return metrics
    }

    private func addLoads(to metrics: inout Metrics) {
        let counts = loads.figures
        var byKind = counts.loads
        // There from the start, so that a rate can be told from the first load on.
        for verdict in Verdict.allCases { byKind[LoadCounts.Key(verdict: verdict, rule: nil), default: 0] += 0 }
        let samples = byKind.map { (verdict: $0.verdict.rawValue, rule: $0.rule?.rawValue ?? "none", loads: $1) }
            .sorted { ($0.verdict, $0.rule) < ($1.verdict, $1.rule) }
        metrics.add(
            .counter, "atsgate_loads_total", "Loads that have ended, by their verdict and the rule that decided.",
            samples.map { (["verdict": $0.verdict, "rule": $0.rule], $0.loads) })
        metrics.add(
            "atsgate_load_seconds", "How long loads took, from the first byte of the request to their end.",
            counts.times)
        metrics.add(
            .counter, "atsgate_handshake_failures_total",
            "Loads whose origin's TLS handshake broke or was refused, by the rule that decided.",
            counts.failedHandshakes.map { (rule: $0.rawValue, loads: $1) }.sorted { $0.rule < $1.rule }
                .map { (["rule": $0.rule], $0.loads) })
    }

    private func add(_ signs: Signs, _ pulse: Pulse, to metrics: inout Metrics) {
        let archive = signs.archive()
        metrics.add(
            .gauge, "atsgate_open_connections", "Connections of clients, of the loops that answered.",
            pulse.openConnections)
        metrics.add(
            .gauge, "atsgate_silent_loops", "Loops that did not answer within \(Self.patience.components.seconds) s.",
            pulse.silentLoops)
        metrics.add(
            .gauge, "atsgate_archive_waiting_rows", "Records that are not in every sink yet.", archive.waitingRows)
        metrics.add(
            .gauge, "atsgate_archive_waiting_bytes", "Memory that these take, about.", archive.waitingBytes)
        metrics.add(
            .gauge, "atsgate_archive_full", "1 where new loads wait until records are written.", archive.isFull ? 1 : 0)
        metrics.add(
            .counter, "atsgate_records_lost_total", "Records that a sink had to give up.",
            SinkKind.allCases.map { (["sink": $0.rawValue], archive.lost[$0] ?? 0) })
        metrics.add(
            .gauge, "atsgate_ca_expiry_timestamp_seconds", "When the local CA expires, since 1970-01-01 UTC.",
            Int(signs.authorityEnd))
        signs.spool()?.add(to: &metrics)
    }
}
