extension RequestHead {
    /// The protocols that the sender offers to change to; empty if it offers none, or in a way that does not count:
    /// Connection must name Upgrade, and HTTP/1.0 has no upgrades. Source: RFC 9110 section 7.8.
    public var upgradeProtocols: [String] { minorVersion >= 1 ? fields.upgradeProtocols : [] }
}

extension FieldBlock {
    /// The protocols in Upgrade, in lower case and without their versions; empty if Connection does not name Upgrade.
    public var upgradeProtocols: [String] {
        guard contains(.upgrade), hasOption("upgrade") else { return [] }
        return values(of: .upgrade).flatMap { $0.split(separator: ",") }.map { member in
            let name = member.prefix { $0 != "/" }
            return String(name).filter { $0 != " " && $0 != "\t" }.lowercased()
        }
    }
}
