import Bytes
import Synchronization

/// Counts which clients accepted the gate's certificates, to distinguish a client that pins a host from one without the
/// CA. Shared by all loops, and kept only while the gate runs.
///
/// A client that accepted a certificate for one host and rejects it for another twice pins that host. The host is then
/// passed through for that client, for ten minutes.
public final class PinningWatch: Sendable {
    /// The conclusion from a rejection.
    enum Suspicion: Equatable {
        /// This device has accepted no certificate so far, so it probably does not trust the CA.
        case lacksAuthority
        /// It accepted certificates for other hosts.
        case pins
        /// It accepted others, and the host will be passed through from now on.
        case pinsAndPasses
    }

    /// The client of a connection: a device trusts certificates, and an app on it pins them.
    struct Client {
        private let place: ClientSource
        let agent: String

        init(_ place: ClientSource, agent: String?) {
            self.place = place
            self.agent = agent ?? ""
        }

        /// On this machine each program has its own trust settings, so each is a device.
        var device: String { place.isLoopback ? "\(place.host) \(agent)" : place.host }
    }

    private struct Refusals {
        var count = 0
        var since: Int64
    }

    private struct Device {
        /// Two hosts suffice to find one that differs from the host in question.
        var acceptedHosts: [String] = []
        var refused: [Key: Refusals] = [:]
        var passedUntil: [Key: Int64] = [:]

        /// Approximate size, including text from the client.
        var bytes: Int {
            acceptedHosts.reduce(128) { $0 + $1.utf8.count } + (refused.keys.reduce(0) { $0 + $1.bytes })
                + passedUntil.keys.reduce(0) { $0 + $1.bytes }
        }

        /// Counts a rejection. If the table is full, removes the oldest entry.
        mutating func refuse(_ key: Key, at ticks: Int64) {
            refused = refused.filter { ticks - $0.value.since < PinningWatch.lifetime }
            if refused.count >= PinningWatch.hostLimit, refused[key] == nil,
                let oldest = refused.min(by: { $0.value.since < $1.value.since })
            {
                refused[oldest.key] = nil
            }
            refused[key, default: Refusals(since: ticks)].count += 1
        }
    }

    private struct Key: Hashable {
        let agent: String
        let host: String

        var bytes: Int { agent.utf8.count + host.utf8.count + 64 }
    }

    private let isOn: Bool
    private let say: @Sendable (String) -> Void
    private let devices = Mutex(
        WeighedCache<String, Device>(.pinning, limit: PinningWatch.byteLimit, count: PinningWatch.deviceLimit))
    /// True once a host was passed through; until then no lookup is needed.
    private let hasPassed = Atomic<Bool>(false)

    /// - Parameters:
    ///   - isOn: passes pinned hosts through; otherwise they are only recognized.
    ///   - say: receives a message when a host starts to be passed through.
    public init(isOn: Bool = true, say: @escaping @Sendable (String) -> Void = { _ in }) {
        self.isOn = isOn
        self.say = say
    }

    /// Notes that a client accepted a certificate and sent a request.
    func accepted(_ host: String, _ client: Client) {
        change(client) { device in
            device.refused[Key(agent: client.agent, host: host)] = nil
            guard device.acceptedHosts.count < 2, !device.acceptedHosts.contains(host) else { return }
            device.acceptedHosts.append(host)
        }
    }

    /// Notes that a client rejected a certificate.
    ///
    /// - Parameter ticks: the time in microseconds.
    func refused(_ host: String, _ client: Client, at ticks: Int64) -> Suspicion {
        let key = Key(agent: client.agent, host: host)
        let suspicion = change(client) { device -> Suspicion in
            guard device.acceptedHosts.contains(where: { $0 != host }) else { return .lacksAuthority }
            device.refuse(key, at: ticks)
            guard isOn, device.refused[key]?.count ?? 0 >= Self.enough else { return .pins }
            device.refused[key] = nil
            device.passedUntil = device.passedUntil.filter { $0.value > ticks }
            if device.passedUntil.count < Self.hostLimit { device.passedUntil[key] = ticks + Self.lifetime }
            return .pinsAndPasses
        }
        if suspicion == .pinsAndPasses {
            hasPassed.store(true, ordering: .releasing)
            say(
                "\(client.device) rejected the gate's certificate for \(host) twice and accepted it for other hosts: "
                    + "the app pins it. The host is passed through to that client for \(Self.minutes) minutes, judged "
                    + "by the gate's own handshake. --passthrough \(host) makes this permanent; --auto-passthrough off "
                    + "turns it off.")
        }
        return suspicion
    }

    /// True if the host is passed through for that client.
    func passes(_ host: String, _ client: Client, at ticks: Int64) -> Bool {
        guard hasPassed.load(ordering: .acquiring) else { return false }
        return devices.withLock { devices in
            guard let device = devices.value(for: client.device),
                let until = device.passedUntil[Key(agent: client.agent, host: host)]
            else { return false }
            return until > ticks
        }
    }

    private func change<Answer>(_ client: Client, _ work: (inout Device) -> Answer) -> Answer {
        let name = client.device
        return devices.withLock { devices in
            // The client writes the agent, so number and bytes are bounded: the client unseen for longest is removed.
            var device = devices.value(for: name) ?? Device()
            defer { devices.keep(device, for: name, bytes: name.utf8.count + device.bytes) }
            return work(&device)
        }
    }

    static let minutes = 10
    private static let lifetime = Int64(minutes) * 60_000_000
    /// One may be chance: a client that goes away during the handshake looks the same.
    private static let enough = 2
    private static let deviceLimit = 512
    private static let byteLimit = 2 << 20
    private static let hostLimit = 256
}
