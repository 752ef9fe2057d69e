import FlyingFox

/// What every answer tells a browser to keep to. Source: Content Security Policy Level 3; Fetch, sections 3.5 to 3.7;
/// Trusted Types.
enum SecurityHeaders {
    /// Nothing from elsewhere, nothing inline, in nobody's frame, no text that becomes markup, never kept.
    static let fields: [(HTTPHeader, String)] = [
        (
            HTTPHeader("Content-Security-Policy"),
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "manifest-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                + "require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        (HTTPHeader("X-Content-Type-Options"), "nosniff"), (HTTPHeader("X-Frame-Options"), "DENY"),
        (HTTPHeader("Referrer-Policy"), "no-referrer"),
        (HTTPHeader("Cross-Origin-Opener-Policy"), "same-origin"),
        (HTTPHeader("Cross-Origin-Resource-Policy"), "same-origin"), (.cacheControl, "no-store"),
        (HTTPHeader("Server"), "atsgate"),
    ]

    /// With them, where the answer does not set its own.
    static func added(to response: HTTPResponse) -> HTTPResponse {
        var response = response
        for (name, value) in fields where response.headers[name] == nil { response.headers[name] = value }
        return response
    }
}
