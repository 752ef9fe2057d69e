/// macOS 15 and later let a program reach the local network only when the user has agreed.
///
/// Source: Apple TN3179, "Understanding local network privacy". That a denial looks like a missing route is inferred;
/// docs/macos.md#local-network.
public enum LocalNetworkPrivacy {
    /// What may be behind an errno that a dial ended with, to be put behind its words; empty where that is something
    /// else.
    ///
    /// - Parameter isMac: whether the gate runs on macOS.
    public static func hint(errno: Int32, isMac: Bool = isThere) -> String {
        guard isMac, errno == noRoute else { return "" }
        return "; if it is in the local network, see System Settings > Privacy & Security > Local Network"
    }

    /// Whether this system is one that asks.
    public static var isThere: Bool {
        #if os(macOS)
        true
        #else
        false
        #endif
    }

    /// EHOSTUNREACH of macOS: sys/errno.h.
    private static let noRoute: Int32 = 65
}
