/// The session's only timer. Remembers which deadline it was armed for.
struct SessionTimer {
    private(set) var armed: Deadline?

    /// Arms the timer; returns the effect that restarts it.
    mutating func arm(_ deadline: Deadline, for duration: Duration) -> SessionEffect {
        armed = deadline
        return .arm(deadline, duration)
    }

    /// Disarms the timer; returns the effect that stops it, or nil if it does not run.
    mutating func disarm() -> SessionEffect? {
        guard armed != nil else { return nil }
        armed = nil
        return .disarm
    }

    /// Forgets the deadline without cancelling; a late firing is ignored.
    mutating func markExpired() { armed = nil }

    /// Returns true if the deadline that passed is the armed one.
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
