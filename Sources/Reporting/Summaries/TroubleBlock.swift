import ATSPolicy
import Diagnosis
import Records
import Text

/// The loads of one host that one rule decided, in the console's format: result, reason, connection, fixes and client.
struct TroubleBlock {
    let trouble: ReportCase
    let colours: TerminalColours

    /// - Parameter said: sentences that earlier blocks contain and that are not repeated. Adds those of this block.
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
        text += row("tls", first.first.origin?.facts.map(Self.negotiated))
        text += row("chain", first.first.origin?.facts.flatMap(ChainWords.words))
        text += fixes(said: &said)
        for client in trouble.groups.map({ Self.client($0.first) }).each { text += row("client", client) }
        for origin in trouble.groups.compactMap(\.first.load.redirectedFrom).each {
            text += row("from", "a redirect by \(origin)")
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
            text += row("key", said.insert(sentence).inserted ? sentence : "No Info.plist key fixes this.")
        }
        for fix in trouble.groups.compactMap({ $0.first.remedy?.exception }).each {
            text += row("or", "in Info.plist: " + fix.sentence)
            let xml = EntryToPaste(fix).xml
            if said.insert(xml.joined()).inserted { for line in xml { text += row("", line) } }
        }
        return text
    }

    private func row(_ label: String, _ value: String?) -> String {
        guard let value else { return "" }
        return "    " + colours.quiet(label.padded(to: Self.labelColumns)) + value.printable + "\n"
    }

    /// A coloured rule name is printable already, and must not be escaped.
    private func printable(_ text: String) -> String { colours.isColoured ? text : text.printable }

    private static func negotiated(_ facts: HandshakeFacts) -> String {
        ["TLS " + facts.version.name, facts.suite.name, facts.group, facts.alpn].compactMap(\.self).joined(
            separator: ", ")
    }

    private static func client(_ load: LoadRecord) -> String {
        let client = load.client
        let facts = [load.clientDescription, client.os, client.userAgent].compactMap(\.self).joined(separator: ", ")
        return client.label.map { "\($0) (\(facts))" } ?? facts
    }

    private static let labelColumns = 7
}

extension ReportRow {
    /// The finding, and the key that decided.
    fileprivate var why: String? {
        let parts = [observed.map { $0 + doubt }, key.deciding.map { "(\($0))" }].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}

extension Sequence where Element: Hashable {
    /// The elements without duplicates, in order of first appearance.
    var each: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
