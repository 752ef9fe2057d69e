import Bytes
import Synchronization

/// Who took the gate's certificates, and who refused them: tells a client that pins a host from one that has not
/// installed the CA. Shared by all loops; remembered while the gate runs, and no longer.
///
/// A client that has taken a certificate of ours for some host and refuses it for another, twice, pins that one. It is
/// passed through then, for that client and for ten minutes.
public final class PinningWatch: Sendable {
    /// What a refusal tells.
    enum Suspicion: Equatable {
        /// Nothing was taken by this device so far: it does not believe the CA, as far as can be seen.
        case lacksAuthority
        /// Certificates for other hosts were taken.
        case pins
        /// The same, and the host will be passed through from now on.
        case pinsAndPasses
    }

    /// Who asks: certificates are believed by a device, and pinned by an app of it.
    struct Client {
        private let place: ClientPlace
        let agent: String

        init(_ place: ClientPlace, agent: String?) {
            self.place = place
            self.agent = agent ?? ""
        }

        /// On this machine each program has its own idea of whom to believe.
        var device: String { place.isLoopback ? "\(place.host) \(agent)" : place.host }
    }

    private struct Refusals {
        var count = 0
        var since: Int64
    }

    private struct Device {
        /// The first two are enough to know of one that is not the host in question.
        var taken: [String] = []
        var refused: [Key: Refusals] = [:]
        var passedUntil: [Key: Int64] = [:]

        /// About: what a client wrote into it.
        var bytes: Int {
            taken.reduce(128) { $0 + $1.utf8.count } + (refused.keys.reduce(0) { $0 + $1.bytes })
                + passedUntil.keys.reduce(0) { $0 + $1.bytes }
        }

        /// The oldest gives way.
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
    /// Some host is or was passed through: until then nobody needs to be looked up.
    private let hasPassed = Atomic<Bool>(false)

    /// - Parameters:
    ///   - isOn: hosts that are pinned are passed through; otherwise they are only told apart.
    ///   - say: hears a sentence when a host begins to be passed through.
    public init(isOn: Bool = true, say: @escaping @Sendable (String) -> Void = { _ in }) {
        self.isOn = isOn
        self.say = say
    }

    /// A client has taken a certificate of ours, and asked for something behind it.
    func took(_ host: String, _ client: Client) {
        change(client) { device in
            device.refused[Key(agent: client.agent, host: host)] = nil
            guard device.taken.count < 2, !device.taken.contains(host) else { return }
            device.taken.append(host)
        }
    }

    /// A client has refused one.
    ///
    /// - Parameter ticks: the time in microseconds.
    func refused(_ host: String, _ client: Client, at ticks: Int64) -> Suspicion {
        let key = Key(agent: client.agent, host: host)
        let suspicion = change(client) { device -> Suspicion in
            guard device.taken.contains(where: { $0 != host }) else { return .lacksAuthority }
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
                "\(client.device) refused the gate's certificate for \(host) twice and took it for others: the app "
                    + "pins it. It is passed through to that client for \(Self.minutes) minutes, judged by a handshake "
                    + "of the gate's own; --passthrough \(host) makes that last, --auto-passthrough off ends it.")
        }
        return suspicion
    }

    /// Whether the host is passed through for that client.
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
            // Whoever asks writes the agent, so number and bytes are bounded: who was not seen for longest is forgotten.
            var device = devices.value(for: name) ?? Device()
            defer { devices.keep(device, for: name, bytes: name.utf8.count + device.bytes) }
            return work(&device)
        }
    }

    static let minutes = 10
    private static let lifetime = Int64(minutes) * 60_000_000
    /// One may be chance: a client that goes away while it shakes hands looks the same.
    private static let enough = 2
    private static let deviceLimit = 512
    private static let byteLimit = 2 << 20
    private static let hostLimit = 256
}
