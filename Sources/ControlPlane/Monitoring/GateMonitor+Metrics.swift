import ATSPolicy
import Records
import Reporting

extension GateMonitor {
    /// All metrics. Blocks for ``timeout`` at most.
    ///
    /// A label is never a host, an address, a URL, a path or the name of a recording. So readers of metrics do not
    /// learn what is loaded, and there are never more series than verdicts times rules.
    var metrics: Metrics {
        var metrics = Metrics()
        addLoads(to: &metrics)
        let pulse = pulse
        metrics.add(
            .gauge, "atsgate_ready", "1 if the gate accepts loads, as in /readyz.",
            obstacles(pulse).isEmpty ? 1 : 0)
        if let signs, let pulse { add(signs, pulse, to: &metrics) }
        let reloads = reloads
        metrics.add(
            .counter, "atsgate_policy_reloads_total", "Dictionaries that came into force while the gate runs.",
            reloads.inForce)
        metrics.add(
            .counter, "atsgate_policy_reload_failures_total",
            "Dictionaries that could not be read; the old one stayed in force.", reloads.refused)
        metrics.add(
            .gauge, "atsgate_policy_last_reload_successful", "1, or 0 if the last dictionary could not be read.",
            reloads.isLastInForce ? 1 : 0)
        metrics.addHeldBytes()
        metrics.add(.gauge, "atsgate_build_info", "The version of atsgate.", [(["version": version], 1)])
        process.add(to: &metrics)
        return metrics
    }

    private func addLoads(to metrics: inout Metrics) {
        let counts = loads.figures
        var byKind = counts.loads
        // Zero from the start, so that a rate can be computed from the first load on.
        for verdict in Verdict.allCases { byKind[LoadCounts.Key(verdict: verdict, rule: nil), default: 0] += 0 }
        let samples = byKind.map { (verdict: $0.verdict.rawValue, rule: $0.rule?.rawValue ?? "none", loads: $1) }
            .sorted { ($0.verdict, $0.rule) < ($1.verdict, $1.rule) }
        metrics.add(
            .counter, "atsgate_loads_total", "Loads that have ended, by verdict and deciding rule.",
            samples.map { (["verdict": $0.verdict, "rule": $0.rule], $0.loads) })
        metrics.add(
            "atsgate_load_seconds", "Duration of loads, from the first byte of the request to the end.",
            counts.times)
        metrics.add(
            .counter, "atsgate_handshake_failures_total",
            "Loads whose TLS handshake with the server failed or was rejected, by deciding rule.",
            counts.failedHandshakes.map { (rule: $0.rawValue, loads: $1) }.sorted { $0.rule < $1.rule }
                .map { (["rule": $0.rule], $0.loads) })
    }

    private func add(_ signs: Probes, _ pulse: Pulse, to metrics: inout Metrics) {
        let archive = signs.archive()
        metrics.add(
            .gauge, "atsgate_open_connections", "Client connections, on the loops that answered.",
            pulse.openConnections)
        metrics.add(
            .gauge, "atsgate_silent_loops", "Loops that did not answer within \(Self.timeout.components.seconds) s.",
            pulse.silentLoops)
        metrics.add(
            .gauge, "atsgate_archive_waiting_rows", "Records that are not in every sink yet.", archive.waitingRows)
        metrics.add(
            .gauge, "atsgate_archive_waiting_bytes", "Approximate memory of these records.", archive.waitingBytes)
        metrics.add(
            .gauge, "atsgate_archive_full", "1 if new loads wait until records are written.", archive.isFull ? 1 : 0)
        metrics.add(
            .counter, "atsgate_records_lost_total", "Records that a sink dropped.",
            SinkKind.allCases.map { (["sink": $0.rawValue], archive.lost[$0] ?? 0) })
        metrics.add(
            .gauge, "atsgate_ca_expiry_timestamp_seconds", "Expiry of the local CA, since 1970-01-01 UTC.",
            Int(signs.authorityEnd))
        signs.spool()?.add(to: &metrics)
    }
}
