import HTTPWire

/// The security headers of every answer. Source: Content Security Policy Level 3; Fetch, sections 3.5 to 3.7; Trusted
/// Types.
enum SecurityHeaders {
    /// No content from other sites, nothing inline, no framing, no text that becomes markup, no caching.
    static let fields: FieldBlock = {
        var block = FieldBlock()
        for (name, value) in lines { block.append(name, value) }
        return block
    }()

    private static let lines = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "manifest-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                + "require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"), ("Server", "atsgate"),
    ]
}
