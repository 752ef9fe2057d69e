extension IPAddress {
    /// The address that a URL's host text means to a resolver: one that `inet_pton` reads, or one of the shorter and
    /// odder spellings that `inet_aton` reads, such as `127.1` and `0x7f000001`.
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
