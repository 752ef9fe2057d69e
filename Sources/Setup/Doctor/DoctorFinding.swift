/// The result of one check: a condition for traffic to arrive and be judged.
public struct DoctorFinding: Sendable, Hashable {
    /// Raw values are printed for scripts: never rename one.
    public enum Check: String, Sendable, Hashable, CaseIterable {
        case gate, certificateAuthority = "ca", clock, network, proxy, tunnel, relay, trust, traffic, policy
        case gateway
        /// The state of ATS in the app that is installed on the device.
        case build
        /// Loads of apps, in addition to checks of the connection.
        case apps
        /// A tunnel for devices, by WireGuard; `tunnel` is a VPN of this Mac.
        case wireguard
    }

    /// Raw values are printed for scripts: never rename one.
    public enum State: String, Sendable, Hashable {
        case well, broken
        /// The condition cannot be checked from here.
        case unknown

        /// The state in text for people.
        public var word: String {
            switch self {
            case .well: "ok"
            case .broken: "problem"
            case .unknown: "unknown"
            }
        }
    }

    public let check: Check
    public let state: State
    /// The observation, in one sentence without a full stop.
    public let sentence: String
    /// The command that fixes the problem, or the place in the settings; nil if nothing needs a fix.
    public let fix: String?

    static func well(_ check: Check, _ sentence: String) -> DoctorFinding {
        DoctorFinding(check: check, state: .well, sentence: sentence, fix: nil)
    }

    static func broken(_ check: Check, _ sentence: String, fix: String) -> DoctorFinding {
        DoctorFinding(check: check, state: .broken, sentence: sentence, fix: fix)
    }

    static func broken(_ check: Check, _ sentence: String, _ again: RepeatedSetup) -> DoctorFinding {
        broken(check, sentence + again.remark, fix: again.command)
    }

    static func unknown(_ check: Check, _ sentence: String, fix: String? = nil) -> DoctorFinding {
        DoctorFinding(check: check, state: .unknown, sentence: sentence, fix: fix)
    }
}
