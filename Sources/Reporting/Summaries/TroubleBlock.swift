import ATSPolicy
import Records
import Text

/// The loads of one host that one rule decided over, in the words of the console: what happened, why, what was served,
/// what would help, who asked.
struct TroubleBlock {
    let trouble: ReportCase
    let colours: TerminalColours

    /// - Parameter said: sentences of earlier blocks that need not be said again; those of this one are put to it.
    func text(said: inout Set<String>) -> String {
        guard let first = trouble.groups.first else { return "" }
        let numbers = trouble.groups.compactMap { $0.first.numbers }.each.joined(separator: "; ")
        let head = [trouble.key.host, colours.strong(trouble.key.rule ?? "-"), numbers, "x\(trouble.loads)"]
        var text = "  " + head.filter { !$0.isEmpty }.map(printable).joined(separator: "  ") + "\n"
        for group in trouble.groups { text += row("url", group.url + group.otherURLs) }
        for why in trouble.groups.compactMap(\.why).each { text += row("why", why) }
        for failure in trouble.groups.compactMap(\.deviceFailure).each { text += row("probe", failure) }
        let also = trouble.groups.flatMap(\.alsoRules).each
        if !also.isEmpty { text += row("also", also.joined(separator: ", ")) }
        text += row("tls", first.first.origin.flatMap(Self.negotiated))
        text += row("chain", first.first.origin.flatMap(ChainWords.words))
        text += fixes(said: &said)
        for client in trouble.groups.map({ Self.client($0.first) }).each { text += row("asked", client) }
        for origin in trouble.groups.compactMap(\.first.load.redirectedFrom).each {
            text += row("from", "a redirect of \(origin)")
        }
        return text
    }

    private func fixes(said: inout Set<String>) -> String {
        var text = ""
        for advice in trouble.groups.flatMap({ $0.first.remedy?.advice ?? [] }).each {
            let sentence = advice.sentence
            guard !advice.isForServer else {
                text += row("fix", sentence)
                continue
            }
            text += row("key", said.insert(sentence).inserted ? sentence : "No key helps, for the reason given above.")
        }
        for fix in trouble.groups.compactMap(\.exceptionFix).each { text += row("or", "in Info.plist: " + fix) }
        return text
    }

    private func row(_ label: String, _ value: String?) -> String {
        guard let value else { return "" }
        return "    " + colours.quiet(label.padded(to: Self.labelColumns)) + value.printable + "\n"
    }

    /// The rule's name is painted already.
    private func printable(_ text: String) -> String { colours.isColoured ? text : text.printable }

    private static func negotiated(_ origin: DecodedObject<OriginFields>) -> String? {
        guard let version = origin.tlsVersion else { return nil }
        return ["TLS " + version, origin.cipherSuite, origin.group, origin.alpn].compactMap(\.self).joined(
            separator: ", ")
    }

    private static func client(_ load: DecodedRecord) -> String {
        let client = load.client
        let facts = [load.asker, client.os, client.userAgent].compactMap(\.self).joined(separator: ", ")
        return client.label.map { "\($0) (\(facts))" } ?? facts
    }

    private static let labelColumns = 7
}

extension LoadGroup {
    /// What was seen, and what decided.
    fileprivate var why: String? {
        let parts = [observed.map { $0 + doubt }, key.deciding.map { "(\($0))" }].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}

extension Sequence where Element: Hashable {
    /// Every element once, in the order met.
    var each: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
