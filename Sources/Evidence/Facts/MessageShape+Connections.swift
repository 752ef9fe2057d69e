import ATSPolicy

/// Lines that name a connection by its number.
extension MessageShape {
    static let connections: [MessageShape] = [
        MessageShape(
            name: "TLS connected [version, ciphersuite, group, alpn]", needle: "TLS connected [",
            source: "sharkda/obsidianV0", confidence: .observed
        ) { text in
            FlowName(text).map { .connection($0.number, .connected(PrintedTLS(text))) }
        },
        MessageShape(
            name: "ATS violation: the TLS library, 26", needle: "ATS violation: ", source: "blacktop/ipsw-diffs",
            confidence: .inferred, read: violation),
        MessageShape(
            name: "Error [ATS violation], Error [ATS FCPv2.1 violation]: the TLS library, 27", needle: "violation",
            source: "blacktop/ipsw-diffs", confidence: .inferred, read: violation),
        MessageShape(
            name: "FCS TLS v2 compliance error: a NIAP package, 26.4 to 26.6", needle: "FCS TLS v2 compliance error",
            source: "blacktop/ipsw-diffs", confidence: .inferred
        ) { text in
            guard let flow = FlowName(text) else { return .loose(.trustNote(isRefusal: true)) }
            return .connection(flow.number, .brokeATS(host: nil))
        },
        MessageShape(
            name: "Error [ATS Violation]: trust, 27", needle: "ATS Violation", source: "VelaTerm#77",
            confidence: .observedOnce, read: violation),
        MessageShape(
            name: "TLS configured [name]", needle: "TLS configured [", source: "sharkda/obsidianV0",
            confidence: .observed
        ) { text in
            guard let flow = FlowName(text), let start = text.after("name("), let end = text.find(")", from: start),
                let host = PrintedURL.known(text[start, end].string)
            else { return nil }
            return .connection(flow.number, .serverName(host))
        },
        MessageShape(
            name: "Connection N: …", needle: "Connection ", source: "nicolasgomollon/AppSales-Mobile#62",
            confidence: .observed, read: connection),
        MessageShape(
            name: "TIC …: connections up to iOS 11", needle: "TIC ", source: "nabla-c0d3/ssl-kill-switch2#43",
            confidence: .observed, read: oldConnection),
        MessageShape(
            name: "create connection to HOST:PORT", needle: "create connection to ",
            source: "MobdevCore, CFNetworkLogTests.swift",
            confidence: .observed
        ) { text in
            guard let flow = FlowName(text), !flow.isPart, let place = text.after("create connection to ") else {
                return nil
            }
            let end = text.end(from: place) { !$0.isBlank }
            return .connection(flow.number, .endpoint(Endpoint(authority: text[place, end].string)))
        },
        MessageShape(
            name: "[CN UUID HOST:PORT tcp, url hash, tls]", needle: "[C", source: "flutter/flutter#44504",
            confidence: .observed, read: endpoint),
    ]

    // MARK: - Recognisers

    /// `Connection 6: system TLS Trust evaluation failed(-9802)` and similar lines.
    private static func connection(_ text: LogText) -> Fact? {
        guard text.has("Connection "), let number = text.number(at: 11) else { return nil }
        let colon = text.end(from: 11) { $0.isDigit }
        guard text[colon] == UInt8(ascii: ":") else { return nil }
        let rest = text.from(text.skipBlanks(colon + 1))
        return .connection(number, state(rest))
    }

    private static func state(_ text: LogText) -> ConnectionFact {
        if let place = text.find(" TLS Trust evaluation failed(") {
            let judge = TrustJudge(rawValue: text[0, place].string) ?? .standard
            return .trustRefused(by: judge, streamCode: text.number(after: "failed("))
        }
        if text.has("asked to evaluate TLS Trust") { return .asksForTrust }
        if text.has("TLS Trust result "), let result = text.number(at: 17) { return .trustResult(result) }
        if text.has("enabling TLS") { return .startsTLS }
        for word in ["encountered error ", "encountered error(", "failed to connect "] as [StaticString] {
            if let stream = StreamNumbers(text, after: word) {
                return .failed(domain: stream.domain, code: stream.code)
            }
        }
        return .mentioned
    }

    /// `TIC TCP Conn Failed [1:0x604000177840]: 3:-9802 Err(-9802)`: the number is in brackets.
    private static func oldConnection(_ text: LogText) -> Fact? {
        guard text.has("TIC "), let open = text.find(":0x"), let bracket = text.find("[") else { return nil }
        guard bracket < open, let number = text.number(at: bracket + 1) else { return nil }
        if text.has("TIC Enabling TLS") { return .connection(number, .startsTLS) }
        if text.has("TIC TCP Conn Failed"), let stream = StreamNumbers(text, after: "]: ") {
            return .connection(number, .failed(domain: stream.domain, code: stream.code))
        }
        return .connection(number, .mentioned)
    }

    /// Lines of the TLS library and the network library about a connection that ATS ended. A line about allowed http is
    /// an audit, not a block.
    private static func violation(_ text: LogText) -> Fact? {
        guard text.contains("ATS"), !text.contains("Did not use TLS"), !text.contains("arning") else { return nil }
        guard text.contains("ATS violation") || text.contains("ATS Violation") || text.contains("[ATS") else {
            return nil
        }
        let host = text.after("for server: ").flatMap { place in
            PrintedURL.known(text[place, text.end(from: place) { !$0.isBlank }].string)
        }
        guard let flow = FlowName(text) else { return .loose(.trustNote(isRefusal: true)) }
        return .connection(flow.number, .brokeATS(host: host))
    }

    /// `[C18 UUID HOST:PORT quic-connection, url: https://…, definite, …] start`.
    private static func endpoint(_ text: LogText) -> Fact? {
        guard text.has("[C"), let number = text.number(at: 2) else { return nil }
        let blank = text.end(from: 2) { $0.isDigit }
        // A part of a connection has an address of its own, which is not a host.
        guard text[blank] == UInt8(ascii: " ") else { return nil }
        var place = text.skipBlanks(blank)
        let word = text.end(from: place) { !$0.isBlank }
        // The connection's own UUID comes first, if it is printed.
        if text[place, word].isUUID { place = text.skipBlanks(word) }
        let end = text.end(from: place) { !$0.isBlank && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "]") }
        guard end < text.count, text[place, end].contains(":") || text[place, end].contains("#") else { return nil }
        var endpoint = Endpoint(authority: text[place, end].string)
        endpoint.url = PrintedURL(in: text, after: "url: ")
        let close = text.find("]", from: end)
        let list = text[end, (close ?? text.count)]
        if list.contains(" tls") || list.contains("quic") {
            endpoint.hasTLS = true
        } else if close != nil, list.contains("tcp") {
            endpoint.hasTLS = false
        }
        return .connection(number, .endpoint(endpoint))
    }
}

/// `[C18.1.1.1:2]`: the connection's number, and whether the name is that of a part.
struct FlowName {
    let number: Int
    let isPart: Bool

    /// The first in `text`.
    init?(_ text: LogText) {
        var place = 0
        while let open = text.after("[C", from: place) {
            if let number = text.number(at: open), number >= 0 {
                self.number = number
                let end = text.end(from: open) { $0.isDigit }
                isPart = text[end] == UInt8(ascii: ".")
                return
            }
            place = open
        }
        return nil
    }
}

extension Endpoint {
    /// `HOST:PORT`, or the placeholder that the system prints instead.
    init(authority: String) {
        let name = authority.hasPrefix("[") ? authority : String(authority.prefix { $0 != ":" })
        // An IPv6 address has a dot before its port.
        let isAddress = authority.filter { $0 == ":" }.count > 1 && !authority.hasPrefix("[")
        isRedacted = PrintedURL.isRedacted(name)
        let address = authority.prefix { $0 != "." }
        host = isAddress ? PrintedURL.known(String(address)) : PrintedURL.host(authority)
    }
}

extension LogText {
    /// 8-4-4-4-12 hexadecimal digits (RFC 9562 section 4).
    fileprivate var isUUID: Bool {
        count == 36 && [8, 13, 18, 23].allSatisfy { self[$0] == UInt8(ascii: "-") }
            && bytes.allSatisfy { $0.isHexadecimal || $0 == UInt8(ascii: "-") }
    }
}

extension PrintedTLS {
    /// `… [server(0) version(0x0304) ciphersuite(TLS_AES_256_GCM_SHA384) group(0x11ec) alpn(h2) resumed(0) …]`.
    init(_ text: LogText) {
        let start = text.find("TLS connected [") ?? 0
        let list = text.from(start)
        version = Self.value(list, "version(").flatMap { Self.versions[$0] }
        cipher = Self.value(list, "ciphersuite(").map { TLSNumbers.suite($0) }
        group = Self.value(list, "group(").map { TLSNumbers.group($0) }
        alpn = Self.value(list, "alpn(").flatMap { $0 == "nil" || $0.isEmpty ? nil : $0 }
        isResumed = Self.value(list, "resumed(").flatMap { $0 == "1" ? true : $0 == "0" ? false : nil }
    }

    private static func value(_ text: LogText, _ key: StaticString) -> String? {
        guard let start = text.after(key), let end = text.find(")", from: start), end - start <= 64 else { return nil }
        return text[start, end].string
    }

    private static let versions = ["0x0301": "1.0", "0x0302": "1.1", "0x0303": "1.2", "0x0304": "1.3"]
}
