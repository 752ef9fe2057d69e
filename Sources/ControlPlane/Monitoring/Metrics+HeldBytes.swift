import Bytes

extension Metrics {
    /// What the process holds of what clients and origins sent, beyond their connections.
    mutating func addHeldBytes() {
        let held = ByteBudget.Purpose.allCases.map { ($0, ByteBudget.heldBytes(for: $0)) }
        add(
            .gauge, "atsgate_held_bytes", "Memory for what clients and origins sent, about, by what it is held for.",
            held.map { (["for": $0.0.rawValue], $0.1) })
        add(
            .gauge, "atsgate_held_all_bytes", "The sum of atsgate_held_bytes.",
            [([:], held.reduce(0) { $0 + $1.1 })])
    }
}
