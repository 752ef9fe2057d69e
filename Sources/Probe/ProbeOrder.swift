import ATSPolicy
import Dialing

/// The parameters of one probe of one origin.
struct ProbeOrder: Sendable {
    let permit: ConnectPermit
    let profile: OSProfile
    let plan: DialPlan
    /// True if the hello contains the host name (SNI).
    var namesHost = true
}
