/// Identifies a slot of one loop and its current occupant. A poll set stores this number instead of a pointer, so a
/// late report finds no target instead of the wrong one.
struct PollToken: Hashable, Sendable {
    let number: UInt32
    let generation: UInt32

    /// Refers to no slot: the first generation of every slot is 1.
    static let none = PollToken(number: 0, generation: 0)

    var packed: UInt64 { UInt64(generation) << 32 | UInt64(number) }
}

extension PollToken {
    init(packed: UInt64) {
        self.init(number: UInt32(truncatingIfNeeded: packed), generation: UInt32(truncatingIfNeeded: packed >> 32))
    }
}

/// The targets registered with a loop. Slots are reused; their generation identifies the occupant.
struct SlotTable {
    private struct Slot {
        var target: (any PollTarget)?
        var generation: UInt32
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []

    mutating func insert(_ target: any PollTarget) -> PollToken {
        if let number = free.popLast() {
            slots[Int(number)].target = target
            return PollToken(number: number, generation: slots[Int(number)].generation)
        }
        slots.append(Slot(target: target, generation: 1))
        return PollToken(number: UInt32(slots.count - 1), generation: 1)
    }

    /// Frees the slot, unless it has a new occupant already.
    mutating func remove(_ token: PollToken) {
        guard target(of: token) != nil else { return }
        slots[Int(token.number)].target = nil
        slots[Int(token.number)].generation &+= 1
        free.append(token.number)
    }

    func target(of token: PollToken) -> (any PollTarget)? {
        let number = Int(token.number)
        guard number < slots.count, slots[number].generation == token.generation else { return nil }
        return slots[number].target
    }

    var targets: [any PollTarget] { slots.compactMap(\.target) }
}
