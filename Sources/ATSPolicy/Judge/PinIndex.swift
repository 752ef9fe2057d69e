/// Finds out whether a host is pinned. Source: `ats-semantics.md` 1.6 `[S]`.
///
/// The identities themselves are not enforced yet; this only tells that a declaration asks for it.
struct PinIndex: Sendable {
    private var hosts: Set<Substring> = []
    private var parents: Set<Substring> = []

    init(_ pins: [PinnedDomain]) {
        for pin in pins where pin.hasIdentities {
            let key = pin.domain.lowercased()[...]
            hosts.insert(key)
            if pin.includesSubdomains { parents.insert(key) }
        }
    }

    /// Case-insensitive, one trailing dot dropped; subdomains reach exactly one label deep.
    func isPinned(_ host: String) -> Bool {
        guard !hosts.isEmpty else { return false }
        let name = host.utf8.last == UInt8(ascii: ".") ? host.dropLast() : host[...]
        if hosts.contains(name) { return true }
        guard !parents.isEmpty, let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return false }
        return parents.contains(name[name.utf8.index(after: dot)...])
    }
}
