import CPoll

/// How many descriptors the process may have open at once.
public enum DescriptorLimit {
    /// Raises the soft limit to the hard one: a tunnel takes two descriptors, and shells often allow 256 or 1,024.
    ///
    /// - Returns: the limit that holds now; nil when the system would not say.
    @discardableResult
    public static func raise() -> Int? {
        let limit = cpoll_raise_descriptor_limit()
        return limit < 0 ? nil : limit
    }
}
