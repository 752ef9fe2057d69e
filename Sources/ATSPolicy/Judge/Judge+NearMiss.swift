import Text

extension Declaration {
    /// The changes that would make entries for parent domains of a host cover it, the nearest parent first: entries with
    /// other keys, but without NSIncludesSubdomains.
    public func nearMisses(for host: String) -> [ExceptionFix] {
        guard IPAddress(host: host) == nil else { return [] }
        return HostGrammar.parents(of: host[...]).compactMap { parent in
            let parent = String(parent)
            guard let keys = entries.keys(of: parent),
                keys.last(ATSKey.includesSubdomains)?.node.value != .boolean(true),
                keys.contains(where: { $0.key != ATSKey.includesSubdomains })
            else { return nil }
            return ExceptionFix(domain: parent, settings: [.init(ATSKey.includesSubdomains, .flag(true))])
        }
    }
}

extension Judge {
    /// Returns the change of the dictionary to show for a blocked load: the nearest parent's entry that lacks only
    /// NSIncludesSubdomains, if it then allows at least what `fix` allows; otherwise `fix` as an entry of the host's own.
    ///
    /// - Parameter fix: an exception that waives every broken rule.
    public func preferred(_ fix: ExceptionFix, for target: LoadTarget) -> ExceptionFix {
        let own = declaration.narrowed(fix, to: target)
        let near = declaration.nearMisses(for: target.host)
        // Nearly no host has one, and a ruling under another dictionary takes time.
        guard !near.isEmpty else { return own }
        let needed = ruling(on: target, adding: own)
        return near.first { ruling(on: target, adding: $0).permitsAll(of: needed) } ?? own
    }

    /// Entries decide for every loader alike.
    private func ruling(on target: LoadTarget, adding fix: ExceptionFix) -> Ruling {
        Judge(declaration: declaration.adding(fix), profile: system, switches: switches).rule(on: target, loader: .app)
    }
}

extension Ruling {
    /// True if every handshake that `other` permits is permitted here as well.
    fileprivate func permitsAll(of other: Ruling) -> Bool {
        guard case .permit(let own) = self, case .permit(let second) = other else { return false }
        guard let demands = own.demands else { return true }
        return second.demands.map { $0.narrowed(to: demands) == $0 } ?? false
    }
}
