/// The one timer of a session: what it stands for, and nobody else who could set it.
struct SessionTimer {
    private(set) var armed: Deadline?

    /// The effect that sets it anew.
    mutating func arm(_ deadline: Deadline, for duration: Duration) -> SessionEffect {
        armed = deadline
        return .arm(deadline, duration)
    }

    /// The effect that stops it; nil when it does not run.
    mutating func disarm() -> SessionEffect? {
        guard armed != nil else { return nil }
        armed = nil
        return .disarm
    }

    /// What it stands for is over, and whatever comes next arms it; until then it may run out for nothing.
    mutating func lapse() { armed = nil }

    /// Whether a deadline that passed is the one that is waited for.
    mutating func expire(_ deadline: Deadline) -> Bool {
        guard armed == deadline else { return false }
        armed = nil
        return true
    }
}

extension SessionContext {
    func arm(_ deadline: Deadline) { arm(deadline, for: loop.policy.rules.limits.duration(of: deadline)) }

    func arm(_ deadline: Deadline, for duration: Duration) { effect(timer.arm(deadline, for: duration)) }

    func disarm() {
        if let stop = timer.disarm() { effect(stop) }
    }
}
