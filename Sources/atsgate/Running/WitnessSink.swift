import Diagnosis
import Dialing
import ProxyCore
import ProxyServer
import Records
import Reporting
import Synchronization
import Text

/// Holds what a gate in witness mode predicted against what devices did, for its end.
final class WitnessSink: RecordSink {
    let name = "witness"
    private let agreement = Mutex(DeviceAgreement())

    func write(_ records: [LoadRecord]) {
        agreement.withLock { agreement in
            for record in records { agreement.add(record) }
        }
    }

    func close() {}

    /// The agreement and every difference, a line each with its end.
    var notice: String { lines.joined() }

    /// The agreement alone, with its end.
    var headline: String { lines.first ?? "" }

    /// A device did other than the gate said, and `rules` let something count.
    func differs(by rules: JudgementRules) -> Bool {
        rules.failOn != .none && agreement.withLock { $0.differs }
    }

    private var lines: [String] { agreement.withLock { $0.lines }.map { "atsgate: \($0.printable)\n" } }
}

extension GateSettings {
    /// The gate opens nothing and refuses nothing.
    var onlyWatches: Bool { rules.mode == .witness }

    /// nil where it does more than watch.
    var witnessSink: WitnessSink? { onlyWatches ? WitnessSink() : nil }

    /// What `/witness` has a device load: the hosts that are led somewhere, each by the scheme of its port.
    var witnessedURLs: [String] {
        connectTo.compactMap { place in
            place.host.map { host in
                let isCleartext = place.port == 80
                let port = place.port.flatMap { [80, 443].contains($0) ? nil : $0 }
                return "\(isCleartext ? "http" : "https")://\(Authority(host: host, port: port))/"
            }
        }
    }

    /// What everybody has to know of a gate that only watches.
    var witnessRemarks: [String] {
        guard onlyWatches else { return [] }
        return [
            "warning: witness mode enforces nothing and opens nothing: whatever devices load passes, and what they "
                + "do is recorded beside what the law says"
        ]
    }
}
