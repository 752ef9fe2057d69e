public import ATSPolicy

/// The hosts of an app that a recording loaded.
public struct Coverage: Sendable {
    /// Name of the recording.
    public let recording: String
    /// Distinct hosts of the app on the internet.
    public let hosts: Int
    public let loaded: Int
    /// http URLs that no load used.
    public let neverLoaded: [String]
    /// Hosts of the recording that the app's files do not contain, with their loads.
    public let notInApp: [(host: String, loads: Int)]

    /// Rounded down; 100 if the app has no host.
    public var percent: Int { hosts == 0 ? 100 : loaded * 100 / hosts }

    /// `41 of 58 internet hosts of the app were loaded (70%)`.
    public var sentence: String {
        "\(loaded) of \(DictionaryWords.count(hosts, "internet host", "internet hosts")) of the app were loaded (\(percent)%)"
    }
}

extension AuditReport {
    /// Adds the loads of a recording.
    ///
    /// - Parameter loads: the number of loads of each target.
    public mutating func cover(with loads: [LoadTarget: Int], recording: String) {
        var byHost: [String: Int] = [:]
        for (target, count) in loads { byHost[Self.plain(target.host), default: 0] += count }
        for index in hosts.indices {
            let row = hosts[index].row
            let target = row.target
            hosts[index].loads =
                row.scheme == nil
                ? byHost[Self.plain(row.host)] ?? 0
                : loads.reduce(0) { sum, load in
                    let isSame =
                        load.key.scheme == target.scheme && load.key.port == target.port
                        && Self.plain(load.key.host) == Self.plain(target.host)
                    return isSame ? sum + load.value : sum
                }
        }
        let names = Set(hosts.filter { !$0.isLocal }.map { Self.plain($0.row.host) })
        let all = Set(hosts.map { Self.plain($0.row.host) })
        let cleartext = hosts.filter { $0.row.isCleartext && !$0.isLocal && $0.loads == 0 }
        let coverage = Coverage(
            recording: recording, hosts: names.count, loaded: names.count { byHost[$0] != nil },
            neverLoaded: cleartext.map(\.row.name),
            notInApp: byHost.filter { !all.contains($0.key) }.map { (host: $0.key, loads: $0.value) }.sorted {
                $0.host < $1.host
            })
        self.coverage = coverage
        let top = executables.first?.path ?? path
        for host in cleartext {
            add(
                AuditFinding(
                    .neverLoaded,
                    "\(host.row.name) was not loaded in the recording \(recording), so its ruling is untested",
                    about: host.row.name, in: host.row.found.first?.file ?? path), to: host.row.executables.min() ?? top
            )
        }
        for other in coverage.notInApp {
            add(
                AuditFinding(
                    .notInApp,
                    "\(other.host) was loaded (\(DictionaryWords.count(other.loads, "load", "loads"))), but the app's files do not contain it",
                    about: other.host, in: path), to: top)
        }
    }

    /// Adds an error if the recording covers less than required.
    ///
    /// - Parameter percent: from 0 to 100.
    public mutating func require(coverage percent: Int) {
        guard let coverage, coverage.percent < percent else { return }
        add(
            AuditFinding(
                .coverage, "\(coverage.sentence), but \(percent)% is required", about: coverage.recording, in: path),
            to: executables.first?.path ?? path)
    }

    /// Adds the results of test handshakes.
    ///
    /// - Parameter probes: by target.
    public mutating func add(probes: [LoadTarget: HostProbe]) {
        for index in hosts.indices {
            guard let probe = probes[hosts[index].row.target] else { continue }
            hosts[index].probe = probe
            guard probe.result == .fail else { continue }
            let row = hosts[index].row
            add(
                AuditFinding(
                    .probe, "a device cannot load from \(row.name): \(probe.words)", about: row.name,
                    in: row.found.first?.file ?? path), to: row.executables.min() ?? "")
        }
    }

    /// Without the dot that makes a name absolute (RFC 1034 section 3.1).
    private static func plain(_ host: String) -> String { host.hasSuffix(".") ? String(host.dropLast()) : host }
}
