/// The packet rules of this machine, as far as they are ours.
struct PacketRules {
    let setup: Setup

    /// Whether a table of ours is there.
    ///
    /// - Throws: ``SetupFailure/foreignTable(_:)`` where it has a rule that is not ours.
    func hasTable(_ name: String) throws(SetupFailure) -> Bool {
        let listed = setup.runner.run(PacketTable.question(of: name))
        if listed.status != 0, listed.complaint.contains("No such file or directory") { return false }
        guard listed.status == 0 else { throw .command(PacketTable.question(of: name), reason: listed.reason) }
        guard PacketTable.isOurs(listed.output) else { throw .foreignTable(name) }
        return true
    }

    /// Whether all rules of ours are still there.
    ///
    /// - Throws: as ``hasTable(_:)``.
    func areWhole(_ table: PacketTable) throws(SetupFailure) -> Bool {
        guard try hasTable(table.name) else { return false }
        return table.isWhole(try setup.ask(PacketTable.question(of: table.name)))
    }
}

extension Setup {
    var packetRules: PacketRules { PacketRules(setup: self) }
}
