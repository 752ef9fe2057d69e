/// The state of the rules that a setup created.
enum PacketState {
    case absent
    /// Some rules of atsgate are missing; those that exist are its own.
    case lacking
    case whole
}

/// The packet rules of atsgate on this machine.
struct PacketRules {
    let setup: Setup

    /// - Throws: ``SetupFailure/foreignTable(_:)`` if a table of that name has a rule that atsgate did not create.
    func state(of table: PacketTable) throws(SetupFailure) -> PacketState {
        let question = PacketTable.question(of: table.name)
        let listed = setup.runner.run(question)
        if listed.status != 0, listed.complaint.contains("No such file or directory") { return .absent }
        guard listed.status == 0 else { throw .command(question, reason: listed.reason) }
        guard PacketTable.isOurs(listed.output) else { throw .foreignTable(table.name) }
        return table.isWhole(listed.output) ? .whole : .lacking
    }
}

extension Setup {
    var packetRules: PacketRules { PacketRules(setup: self) }

    /// The state of the rules that a step creates; nil for a step without rules.
    func packets(of step: SetupStep) throws(SetupFailure) -> PacketState? {
        guard let table = step.table else { return nil }
        return try packetRules.state(of: table)
    }
}
