import CPoll

/// The limit on open descriptors of the process.
public enum DescriptorLimit {
    /// Raises the soft limit to the hard one: a tunnel needs two descriptors, and shells often allow 256 or 1,024.
    ///
    /// - Returns: the current limit; nil if the system does not report it.
    @discardableResult
    public static func raise() -> Int? {
        let limit = cpoll_raise_descriptor_limit()
        return limit < 0 ? nil : limit
    }
}
