import HTTPWire
import Text

/// The rules for access to the page and its API. They need only a request's head.
public struct AccessRules: Sendable {
    public let token: AccessToken
    /// The name of the cookie. It contains the port: browsers send cookies to every port of a host (RFC 6265 section
    /// 8.5), so two gates need two names.
    let cookieName: String
    /// True if other machines may make changes.
    let allowsChangesFromOthers: Bool
    /// Host names of the gate itself, in addition to addresses; only for routes that need no token.
    let publicNames: Set<String>
    /// True if routes that need no token accept every host name.
    let takesAnyName: Bool

    /// - Parameters:
    ///   - port: the port at which the page is served.
    ///   - publicNames: lower-case host names, such as one that only the gate resolves.
    public init(
        token: AccessToken = AccessToken(), port: Int, allowsChangesFromOthers: Bool = false,
        publicNames: Set<String> = [], takesAnyName: Bool = false
    ) {
        self.token = token
        cookieName = "atsgate-\(port)"
        self.allowsChangesFromOthers = allowsChangesFromOthers
        self.publicNames = publicNames
        self.takesAnyName = takesAnyName
    }

    /// Returns the reason why a request may not have `access`; nil if it may.
    func refusal(of request: WebRequest, for access: WebRoute.Access) -> WebProblem? {
        let fields = request.head.fields
        guard let host = fields.value(of: .host), isKnown(host, for: access) else {
            return WebProblem(421, "This host name is not accepted. Use the address that atsgate printed.")
        }
        guard access != .anyone else { return nil }
        guard fields.values(of: .origin).allSatisfy({ $0.lowercased() == "http://\(host.lowercased())" }) else {
            return WebProblem(403, "Requests from other sites are not allowed.")
        }
        switch fields.value(named: "Sec-Fetch-Site") {
        case "same-origin", "none", nil: break
        default: return WebProblem(403, "Requests from other sites are not allowed.")
        }
        guard let proof = proof(in: fields) else {
            return WebProblem(401, "Open the address that atsgate printed: it contains a token.")
        }
        guard access == .changing else { return nil }
        // A browser sends Origin with each request that is not a plain GET (Fetch, section 3.2). A script that sends
        // the token itself is not a browser.
        guard proof == .bearer || fields.contains(.origin) else {
            return WebProblem(403, "Changes need an Origin header.")
        }
        guard allowsChangesFromOthers || request.isFromThisMachine else {
            return WebProblem(403, "Changes are only allowed from this machine. To allow others: --web-lan-changes.")
        }
        return nil
    }

    /// The value of Set-Cookie that makes a browser keep the token.
    var setCookie: String { "\(cookieName)=\(token.text); Path=/; HttpOnly; SameSite=Strict" }

    /// The way in which a request presents the token.
    private enum Credential {
        case cookie, bearer
    }

    private func proof(in fields: FieldBlock) -> Credential? {
        if let given = fields.value(of: .authorization) {
            let words = given.split(separator: " ")
            return words.count == 2 && words[0].lowercased() == "bearer" && token.matches(words[1]) ? .bearer : nil
        }
        for line in fields.values(of: .cookie) {
            for pair in line.split(separator: ";") {
                let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                if sides.count == 2, sides[0] == cookieName, token.matches(sides[1]) { return .cookie }
            }
        }
        return nil
    }

    /// Only addresses and known names count: the owner of any other name could point it here (DNS rebinding).
    private func isKnown(_ host: String, for access: WebRoute.Access) -> Bool {
        guard let authority = try? Authority(host[...]) else { return false }
        let name = authority.host.lowercased()
        if name == "localhost" || IPAddress(name) != nil { return true }
        return access == .anyone && (takesAnyName || publicNames.contains(name))
    }
}

/// The secret in the page's address. Its holder may look, and make the changes that the gate allows. New at each start;
/// it exists only in the start line, `--web-url-file` and browsers' cookies.
public struct AccessToken: Sendable {
    /// 256 bits in base64url without padding (RFC 4648 section 5), as in URLs.
    public let text: String

    public init() {
        var random = SystemRandomNumberGenerator()
        text = String((0..<43).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
    }

    /// True if `other` is the same text. The time it takes does not depend on where they differ.
    func matches(_ other: some StringProtocol) -> Bool {
        var difference = UInt8(text.utf8.count == other.utf8.count ? 0 : 1)
        for (mine, theirs) in zip(text.utf8, other.utf8) { difference |= mine ^ theirs }
        return difference == 0
    }
}

private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
