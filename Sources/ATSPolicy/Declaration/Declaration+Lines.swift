extension Declaration {
    /// Returns the line of a key in the file, counted from 1; nil if the file does not contain the key, or if its
    /// format has no lines.
    ///
    /// - Parameter keyPath: from `NSAppTransportSecurity`, as in ``RulingBasis/keyPath``. Dots within the key of an
    ///   entry need no escape: the entry is found by its name.
    public func line(of keyPath: String) -> Int? {
        guard keyPath.hasPrefix(ATSKey.root + ".") else { return nil }
        return members.line(of: keyPath.dropFirst(ATSKey.root.utf8.count + 1))
    }
}

extension [PropertyMember] {
    fileprivate func line(of path: Substring) -> Int? {
        if let member = last(String(path)) { return member.keyLine }
        // Compares in place: joining each key with a dot would be slow with many entries, and each new connection runs
        // this.
        for member in self where path.hasPrefix(member.key) {
            let rest = path.dropFirst(member.key.count)
            guard rest.first == ".", case .dictionary(let inner) = member.node.value else { continue }
            if let line = inner.line(of: rest.dropFirst()) { return line }
        }
        return nil
    }
}
