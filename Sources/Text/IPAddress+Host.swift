extension IPAddress {
    /// Reads a URL's host as a resolver does: an address in a form of `inet_pton`, or in one of the unusual forms of
    /// `inet_aton`, such as `127.1` and `0x7f000001`.
    ///
    /// - Returns: nil for a name, without allocating for the usual ones.
    public init?(host: String) {
        if let plain = IPAddress(host) {
            self = plain
            return
        }
        // Every number of inet_aton begins with a decimal digit.
        guard host.utf8.first?.decimalDigit != nil, let meant = IPAddress(inetAton: host) else { return nil }
        self = meant
    }
}
