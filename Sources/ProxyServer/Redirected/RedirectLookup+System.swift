extension RedirectLookup {
    /// The lookup for macOS; nil elsewhere. On Linux the socket itself reports the address.
    static var ofThisSystem: RedirectLookup? {
        #if os(macOS)
        packetFilter
        #else
        nil
        #endif
    }

    /// Lists the states of pf on macOS, which needs root. Source: pfctl(8) of macOS; sudo must allow this user to run
    /// it without a password, see mitmproxy's documentation, howto-transparent, macOS, step 5.
    package static var packetFilter: RedirectLookup {
        let command = BoundedCommand(
            ["/usr/bin/sudo", "-n", "/sbin/pfctl", "-s", "state"], limitBytes: 16_777_216, timeout: .seconds(2))
        return RedirectLookup { command.run() }
    }
}
