import Foundation

/// International names as the network has them.
enum InternationalHost {
    /// The authority with its host in ASCII (`xn--`), by UTS 46 as Foundation's URLs have it; nil for a name that has
    /// no such form. What is ASCII already comes back as it is.
    static func ascii(_ authority: Substring) -> String? {
        guard !authority.utf8.allSatisfy({ $0 < 0x80 }) else { return String(authority) }
        let colon = authority.lastIndex(of: ":") ?? authority.endIndex
        let name = authority[..<colon]
        // What would end a host has no business here, in any of its widths.
        guard !name.contains(where: { "@[]%".contains($0) }),
            let host = URLComponents(string: "https://\(name)/")?.encodedHost, !host.isEmpty,
            host.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") })
        else { return nil }
        return host + authority[colon...]
    }
}
