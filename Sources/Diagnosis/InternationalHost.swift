import Foundation

/// International names in the form that goes over the network.
enum InternationalHost {
    /// The authority with its host in ASCII (`xn--`), by UTS 46 as Foundation's URLs implement it. ASCII is returned
    /// unchanged; nil if the name has no such form.
    static func ascii(_ authority: Substring) -> String? {
        guard !authority.utf8.allSatisfy({ $0 < 0x80 }) else { return String(authority) }
        let colon = authority.lastIndex(of: ":") ?? authority.endIndex
        let name = authority[..<colon]
        // Characters that would end the host are invalid here, also in their full-width forms.
        guard !name.contains(where: { "@[]%".contains($0) }),
            let host = URLComponents(string: "https://\(name)/")?.encodedHost, !host.isEmpty,
            host.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") })
        else { return nil }
        return host + authority[colon...]
    }
}
