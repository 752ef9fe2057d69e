import ATSPolicy
import Text

/// Hosts that are dialed although there is a parent proxy: lists as curl's `NO_PROXY` has them.
///
/// A name stands for itself and everything below, with or without a dot in front; an address for itself, a range such
/// as 10.0.0.0/8 for all in it, `*` for everything. `:PORT` behind a host narrows it down. Source: curl(1), NO_PROXY.
public struct ParentBypass: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        var name = ""
        var block: AddressBlock?
        var port: Int?
        var isEverything = false
    }

    private let entries: [Entry]

    /// - Parameter lists: each with commas or blanks between its hosts.
    public init(_ lists: [String] = []) {
        entries = lists.flatMap { $0.split { ", \t".contains($0) } }.compactMap { Self.entry($0.lowercased()) }
    }

    /// Whether a load to there goes without the parent.
    ///
    /// - Parameter host: in lower case, an IPv6 address without brackets.
    public func contains(_ host: String, _ port: Int) -> Bool {
        if entries.isEmpty { return false }
        let name = HostGrammar.withoutTrailingDot(host[...])
        let address = IPAddress(host: host)
        return entries.contains { entry in
            guard entry.port == nil || entry.port == port else { return false }
            if entry.isEverything { return true }
            guard let address else {
                return entry.block == nil && HostGrammar.isHost(name, atOrBelow: entry.name)
            }
            return entry.block?.contains(address) ?? false
        }
    }

    private static func entry(_ text: String) -> Entry? {
        var entry = Entry()
        var host = text[...]
        entry.block = block(host)
        if entry.block != nil { return entry }
        if let colon = text.lastIndex(of: ":"), let port = PortNumber.read(text[colon...].dropFirst()) {
            entry.port = port
            host = text[..<colon]
        }
        entry.block = block(host)
        if entry.block != nil { return entry }
        entry.isEverything = host == "*"
        if host.hasPrefix("*.") { host = host.dropFirst() }
        entry.name = String(HostGrammar.withoutTrailingDot(host.hasPrefix(".") ? host.dropFirst() : host))
        return entry.name.isEmpty ? nil : entry
    }

    /// An address or a range; IPv6 with or without brackets.
    private static func block(_ text: Substring) -> AddressBlock? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        return AddressBlock(String(isBracketed ? text.dropFirst().dropLast() : text))
    }
}
