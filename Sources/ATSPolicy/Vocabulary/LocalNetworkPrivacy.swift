/// macOS 15 and later allow a program to reach the local network only with the user's consent.
///
/// Source: Apple TN3179, "Understanding local network privacy". That a denial looks like a missing route is inferred;
/// docs/macos.md#local-network.
public enum LocalNetworkPrivacy {
    /// Returns a hint to append to the text of an errno from a dial; empty if local network privacy cannot be the
    /// cause.
    ///
    /// - Parameter isMac: true if the gate runs on macOS.
    public static func hint(errno: Int32, isMac: Bool = isThere) -> String {
        guard isMac, errno == noRoute else { return "" }
        return "; if it is on the local network, check System Settings > Privacy & Security > Local Network"
    }

    /// True on systems with local network privacy.
    public static var isThere: Bool {
        #if os(macOS)
        true
        #else
        false
        #endif
    }

    /// EHOSTUNREACH on macOS: sys/errno.h.
    private static let noRoute: Int32 = 65
}
