import ATSPolicy
import Dialing

/// One look at one origin.
struct ProbeOrder: Sendable {
    let permit: ConnectPermit
    let profile: OSProfile
    let plan: DialPlan
    /// The hello says which host is meant.
    var namesHost = true
}
