import ATSPolicy
import HTTPWire
import Text

/// The parts of a URL that identify a load: an origin, and the path with its query.
struct LoadAddress: Hashable {
    let target: LoadTarget
    let path: String

    init(target: LoadTarget, path: String) {
        self.target = target
        self.path = path
    }

    /// Resolves a Location field against a load's own URL; nil if the result is not an http or https URL. Source: RFC
    /// 9110 section 10.2.2, RFC 3986 section 5.2.
    ///
    /// - Parameter text: untrusted text from the network. A fragment is ignored.
    init?(location text: String, from base: LoadAddress) {
        let reference = text.prefix { $0 != "#" }
        guard reference.utf8.count <= Self.longestBytes else { return nil }
        if reference.hasPrefix("//") {
            self.init(authorityAndPath: reference.dropFirst(2), scheme: base.target.scheme)
        } else if let colon = Self.endOfScheme(reference) {
            guard let scheme = LoadTarget.Scheme(rawValue: reference[..<colon].lowercased()) else { return nil }
            let rest = reference[colon...].dropFirst()
            guard rest.hasPrefix("//") else { return nil }
            self.init(authorityAndPath: rest.dropFirst(2), scheme: scheme)
        } else {
            self.init(target: base.target, path: Self.path(reference, from: base.path))
        }
    }

    private init?(authorityAndPath text: Substring, scheme: LoadTarget.Scheme) {
        let end = text.firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
        let authority = text[..<end].lastIndex(of: "@").map { text[..<end][$0...].dropFirst() } ?? text[..<end]
        let rest = text[end...]
        let path = rest.hasPrefix("/") ? String(rest) : "/" + rest
        guard let place = try? Authority(authority) else { return nil }
        self.init(
            target: LoadTarget(scheme: scheme, host: place.host, port: place.port ?? scheme.defaultPort),
            path: Self.withoutDots(path))
    }

    /// The colon after a scheme. Source: RFC 3986 section 3.1.
    private static func endOfScheme(_ text: Substring) -> Substring.Index? {
        guard let end = text.firstIndex(where: { ":/?".contains($0) }), text[end] == ":" else { return nil }
        return end
    }

    private static func path(_ reference: Substring, from base: String) -> String {
        if reference.hasPrefix("/") { return withoutDots(String(reference)) }
        let plain = base.prefix { $0 != "?" }
        if reference.isEmpty { return base }
        if reference.hasPrefix("?") { return String(plain + reference) }
        let folder = plain.lastIndex(of: "/").map { plain[...$0] } ?? "/"
        return withoutDots(String(folder + reference))
    }

    /// Resolves `.` and `..`. Source: RFC 3986 section 5.2.4.
    private static func withoutDots(_ path: String) -> String {
        let end = path.firstIndex(of: "?") ?? path.endIndex
        guard path[..<end].contains("/.") else { return path }
        var kept: [Substring] = []
        let segments = path[..<end].split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/") + path[end...]
    }

    private static let longestBytes = 8_192
}
