extension RequestHead {
    /// The protocols that the sender wants to switch to, in lower case and without versions. Empty if it asks for none,
    /// or if Upgrade does not count: Connection must name it, and HTTP/1.0 has none. Source: RFC 9110 section 7.8.
    public var upgradeProtocols: [String] {
        guard fields.contains(.upgrade), minorVersion >= 1, fields.hasOption("upgrade") else { return [] }
        return fields.values(of: .upgrade).flatMap { $0.split(separator: ",") }.map { member in
            let name = member.prefix { $0 != "/" }
            return String(name).filter { $0 != " " && $0 != "\t" }.lowercased()
        }
    }
}
