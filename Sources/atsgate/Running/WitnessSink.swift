import Diagnosis
import Dialing
import ProxyCore
import ProxyServer
import Records
import Reporting
import Synchronization
import Text

/// Compares the predictions of a gate in witness mode with what devices did, for its end.
final class WitnessSink: RecordSink {
    let name = "witness"
    private let agreement = Mutex(DeviceAgreement())

    func write(_ records: [LoadRecord]) {
        agreement.withLock { agreement in
            for record in records { agreement.add(record) }
        }
    }

    func close() {}

    /// The agreement and every difference, one per line.
    var notice: String { lines.joined() }

    /// The line with the agreement.
    var headline: String { lines.first ?? "" }

    /// True if a device and the gate differed, and `rules` let failures count.
    func differs(by rules: JudgementRules) -> Bool {
        rules.failOn != .none && agreement.withLock { $0.differs }
    }

    private var lines: [String] { agreement.withLock { $0.lines }.map { "atsgate: \($0.printable)\n" } }
}

extension GateSettings {
    /// True if the gate decrypts nothing and blocks nothing.
    var isWitness: Bool { rules.mode == .witness }

    /// nil unless the gate is in witness mode.
    var witnessSink: WitnessSink? { isWitness ? WitnessSink() : nil }

    /// The URLs that `/witness` makes a device load: redirected hosts, with the scheme of each port.
    var witnessedURLs: [String] {
        connectTo.compactMap { place in
            place.host.map { host in
                let isCleartext = place.port == 80
                let port = place.port.flatMap { [80, 443].contains($0) ? nil : $0 }
                return "\(isCleartext ? "http" : "https")://\(Authority(host: host, port: port))/"
            }
        }
    }

    /// Warnings about a gate in witness mode.
    var witnessRemarks: [String] {
        guard isWitness else { return [] }
        return [
            "warning: witness mode enforces nothing and decrypts nothing: every load passes, and what devices do is "
                + "recorded together with the verdict"
        ]
    }
}
