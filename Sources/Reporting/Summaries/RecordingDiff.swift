import Records
package import Text

/// Compares two recordings by host: new problems, problems that are gone, and problems that changed.
public struct RecordingDiff: Sendable {
    /// How a host's problems changed.
    public enum Change: String, Sendable, Hashable, CaseIterable {
        case new, gone, changed
    }

    /// A host whose problems differ.
    public struct Row: Sendable, Hashable {
        public let change: Change
        public let host: String
        /// Sorted by rule; empty if there was no problem.
        public let before: [HostOutcome]
        public let after: [HostOutcome]
        /// True if both recordings contain the host.
        public let isInBoth: Bool
        /// True if a rule blocks loads that blocked none before.
        public let isNewlyBlocked: Bool
    }

    /// Names of the recordings.
    public let before: String
    public let after: String
    /// Sorted by change and host.
    public let rows: [Row]
    /// The number of hosts with the same problems in both.
    public let same: Int

    /// - Parameters:
    ///   - before: the name of the first recording, and its hosts.
    ///   - after: the name of the second recording, and its hosts.
    public init(_ before: (name: String, hosts: [HostOutcome]), _ after: (name: String, hosts: [HostOutcome])) {
        self.before = before.name
        self.after = after.name
        let first = Dictionary(grouping: before.hosts, by: \.host)
        let second = Dictionary(grouping: after.hosts, by: \.host)
        var rows: [Row] = []
        var same = 0
        for host in Set(first.keys).union(second.keys).sorted() {
            let (old, new) = (Self.troubles(first[host]), Self.troubles(second[host]))
            guard !(old.isEmpty && new.isEmpty) else { continue }
            guard Set(old.map(Key.init)) != Set(new.map(Key.init)) else {
                same += 1
                continue
            }
            let refused = Set(old.filter(\.isViolation).map(\.rule))
            rows.append(
                Row(
                    change: old.isEmpty ? .new : new.isEmpty ? .gone : .changed, host: host, before: old, after: new,
                    isInBoth: first[host] != nil && second[host] != nil,
                    isNewlyBlocked: new.contains { $0.isViolation && !refused.contains($0.rule) }))
        }
        self.rows = rows
        self.same = same
    }

    public var hasNewBlocks: Bool { rows.contains(where: \.isNewlyBlocked) }

    /// Identifies a problem of a host. Audit and enforce mode do not differ in it.
    private struct Key: Hashable {
        let rule: String?
        let isViolation: Bool

        init(_ trouble: HostOutcome) {
            rule = trouble.rule
            isViolation = trouble.isViolation
        }
    }

    private static func troubles(_ hosts: [HostOutcome]?) -> [HostOutcome] {
        (hosts ?? []).filter { $0.isViolation || $0.verdict == .failed }
            .sorted { ($0.rule ?? "", $0.verdict.rawValue) < ($1.rule ?? "", $1.verdict.rawValue) }
    }
}

extension RecordingDiff {
    /// The output formats. Raw values are those of ``ReportFormat``.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case text, markdown, json, jsonl
    }

    /// The comparison as text that ends with a line end, unless it is empty.
    public func written(as format: Format) -> String {
        switch format {
        case .text: text
        case .markdown: markdown
        case .json: json.text + "\n"
        case .jsonl: hosts.map { $0.text + "\n" }.joined()
        }
    }

    private var text: String {
        var text = "from \(before.printable) to \(after.printable), by host: \(counts)\n"
        for change in Change.allCases {
            let rows = rows.filter { $0.change == change }
            if !rows.isEmpty { text += "\n\(change.rawValue.uppercased())\n" + rows.map(lines).joined() }
        }
        return text
    }

    /// For a comment on a merge request.
    private var markdown: String {
        let names = [before, after].map(MarkdownText.escaped)
        let head = "### atsgate: from \(names[0]) to \(names[1]), by host: \(counts)\n"
        guard !rows.isEmpty else { return head }
        let cells = rows.map { row in
            [
                row.change.rawValue + (row.isNewlyBlocked ? ", newly blocked" : ""), row.host,
                row.before.isEmpty ? (row.isInBoth ? "no problem" : "not loaded") : words(row.before),
                row.after.isEmpty ? (row.isInBoth ? "no problem" : "not loaded") : words(row.after),
            ]
        }
        return head + "\n" + TextTable(["change", "host", "before", "after"], cells).markdown
    }

    /// For example `new 1, gone 0, changed 2, same 4`.
    private var counts: String {
        Change.allCases.map { change in "\(change) \(rows.count { $0.change == change })" }.joined(separator: ", ")
            + ", same \(same)"
    }

    private func lines(_ row: Row) -> String {
        switch row.change {
        case .new:
            "  \(row.host.printable): " + words(row.after)
                + (row.isInBoth ? "; no problem before\n" : "; not loaded before\n")
        case .gone:
            "  \(row.host.printable): " + words(row.before)
                + (row.isInBoth ? "; no problem now\n" : "; not loaded now\n")
        case .changed: "  \(row.host.printable): \(words(row.before)); now \(words(row.after))\n"
        }
    }

    private func words(_ troubles: [HostOutcome]) -> String {
        troubles.map { "\($0.verdict.words) by \($0.rule ?? "-") (\($0.loads))" }.joined(separator: ", ")
    }

    /// docs/report.md#comparing-two-recordings.
    private var json: JSONValue {
        .object([
            ("before", .string(before)), ("after", .string(after)), ("newlyBlocked", .flag(hasNewBlocks)),
            ("same", .number(same)), ("hosts", .array(hosts)),
        ])
    }

    /// The rows: an object for each host.
    package var hosts: [JSONValue] { rows.map(json) }

    /// A host: `change host before[] after[] inBoth newlyBlocked`.
    private func json(_ row: Row) -> JSONValue {
        .object([
            ("change", .string(row.change.rawValue)), ("host", .string(row.host)),
            ("before", .array(row.before.map(json))), ("after", .array(row.after.map(json))),
            ("inBoth", .flag(row.isInBoth)), ("newlyBlocked", .flag(row.isNewlyBlocked)),
        ])
    }

    private func json(_ trouble: HostOutcome) -> JSONValue {
        .object([
            ("rule", .text(trouble.rule)), ("verdict", .string(trouble.verdict.rawValue)),
            ("loads", .number(trouble.loads)),
        ])
    }
}
