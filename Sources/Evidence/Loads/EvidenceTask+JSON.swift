public import Text

extension EvidenceTask {
    /// One object, with its keys in the order of docs/evidence.md.
    public var json: JSONValue {
        .object([
            ("source", .string(source.rawValue)), ("log", .string(log)), ("line", .number(line)), ("time", .text(time)),
            ("app", .text(app)), ("system", .text(system)), ("task", .text(task)), ("host", .text(host)),
            ("url", .text(url)), ("scheme", .text(scheme)), ("outcome", .string(outcome.rawValue)),
            ("code", .number(code)), ("domain", .text(domain)), ("streamCode", .number(streamCode)),
            ("streamDomain", .number(streamDomain)),
            ("status", .number(status)), ("lines", .texts(lines)), ("ruling", ruling?.json ?? .null),
            ("systemTrust", .number(systemTrust)),
            ("checks", .texts(failedChecks.map(\.words))), ("delegate", delegate.map { .flag($0) } ?? .null),
            ("tls", tls?.json ?? .null), ("handshake", tls?.details ?? .null), ("redacted", .flag(isRedacted)),
            ("proxied", .text(proxied)), ("cause", .text(otherCause?.rawValue)),
        ])
    }
}

extension PrintedRuling {
    /// Only the keys that were printed.
    var json: JSONValue {
        .object(Self.keys.compactMap { key in values[key].map { (key, .number($0)) } })
    }
}

extension PrintedTLS {
    var json: JSONValue {
        .object([("version", .text(version)), ("cipher", .text(cipher))])
    }

    /// The other facts of the line.
    var details: JSONValue {
        .object([
            ("group", .text(group)), ("alpn", .text(alpn)), ("resumed", isResumed.map { .flag($0) } ?? .null),
        ])
    }
}
