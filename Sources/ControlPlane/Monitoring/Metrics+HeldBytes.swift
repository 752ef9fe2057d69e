import Bytes

extension Metrics {
    /// Adds the memory that holds data from clients and origins, in addition to their connections.
    mutating func addHeldBytes() {
        let held = ByteBudget.Purpose.allCases.map { ($0, ByteBudget.heldBytes(for: $0)) }
        add(
            .gauge, "atsgate_held_bytes", "Approximate memory for data from clients and servers, by purpose.",
            held.map { (["for": $0.0.rawValue], $0.1) })
        add(
            .gauge, "atsgate_held_all_bytes", "The sum of atsgate_held_bytes.",
            [([:], held.reduce(0) { $0 + $1.1 })])
    }
}
