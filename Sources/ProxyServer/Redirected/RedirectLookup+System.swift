extension RedirectLookup {
    /// nil where the socket itself tells, as on Linux, or nobody does.
    static var ofThisSystem: RedirectLookup? {
        #if os(macOS)
        packetFilter
        #else
        nil
        #endif
    }

    /// Asks pf of macOS, whose list root alone may read. Source: pfctl(8) of macOS; that sudo has to let this user do it
    /// without a password, mitmproxy's documentation, howto-transparent, macOS, step 5.
    package static var packetFilter: RedirectLookup {
        let command = BoundedCommand(
            ["/usr/bin/sudo", "-n", "/sbin/pfctl", "-s", "state"], limitBytes: 16_777_216, patience: .seconds(2))
        return RedirectLookup { command.run() }
    }
}
