import ATSPolicy
import Dialing

/// The parameters of one probe of one origin.
struct ProbeOrder: Sendable {
    let permit: ConnectPermit
    let profile: OSProfile
    let plan: DialPlan
    /// True if the hello contains the host name (SNI).
    var namesHost = true
    /// The end of all probes that belong together; nil if each has only its own time limits.
    var end: ContinuousClock.Instant?

    /// - Parameter limit: the usual time limit of a step.
    func timeLeft(_ limit: Duration) -> Duration { end.map { max(.zero, min(limit, $0 - .now)) } ?? limit }
}
