/// What is there of rules that a set-up made.
enum PacketState {
    case absent
    /// All that is there is ours, and some of ours is not there.
    case lacking
    case whole
}

/// The packet rules of this machine, as far as they are ours.
struct PacketRules {
    let setup: Setup

    /// - Throws: ``SetupFailure/foreignTable(_:)`` where a table of that name has a rule that is not ours.
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

    /// What is there of the rules that a step makes; nil for a step that makes none.
    func packets(of step: SetupStep) throws(SetupFailure) -> PacketState? {
        if case .anchor(let gateway) = step { return try packetFilter.state(of: gateway) }
        guard let table = step.table else { return nil }
        return try packetRules.state(of: table)
    }
}
