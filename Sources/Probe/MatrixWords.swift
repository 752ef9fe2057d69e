import ATSPolicy
import Records
import Text

extension ProbeMatrix {
    /// The text that nscurl prints, without additions. Source of every line: its output in Stack Overflow 33225807 and
    /// other
    /// listings (observed); Apple, Identifying the source of blocked connections.
    ///
    /// - Parameter isVerbose: adds the dictionaries and the errors.
    public func listing(isVerbose: Bool) -> String {
        var lines = [
            "Starting ATS Diagnostics", "",
            "Configuring ATS Info.plist keys and displaying the result of HTTPS loads to \(target.url).",
            "A test will \"PASS\" if URLSession:task:didCompleteWithError: returns a nil error.",
        ]
        if !isVerbose {
            lines.append(
                "Use '--verbose' to view the ATS dictionaries used and to display the error received in "
                    + "URLSession:task:didCompleteWithError:.")
        }
        lines.append(Self.rule)
        var section: String?
        for (index, row) in rows.enumerated() {
            if row.test.section != section {
                lines += ["", row.test.section]
                // Only the first section has its test right below its headline.
                if section != nil { lines.append("") }
                section = row.test.section
            }
            lines += row.lines(isVerbose: isVerbose) + [""]
            let isLast = index == rows.count - 1 || rows[index + 1].test.section != section
            if isLast { lines.append(Self.rule) }
        }
        return lines.map { $0 + "\n" }.joined().printableLines
    }

    /// The conclusion in atsgate's own words: the least permissive exception that helps, or the reason why none does.
    public var conclusion: String {
        guard let first = rows.first else { return "" }
        let title = first.result.system.title
        if first.isPassed { return "atsgate: \(target.url) meets ATS on \(title); no exception is needed." }
        let reason = first.result.rule.map { " (\($0.rawValue))" } ?? ""
        guard let row = cheapest else {
            let why =
                rows[1].isPassed
                ? "it loads only with ATS off, and an entry for the host cannot waive the fault"
                : "it also fails with ATS off, so ATS is not the cause"
            return "atsgate: \(target.url) fails on \(title)\(reason); no exception for the host helps: \(why)."
        }
        return "atsgate: \(target.url) fails on \(title)\(reason); the smallest exception that helps is "
            + "\"\(row.test.name)\"."
    }

    /// The passing test whose entry has the fewest keys, and among those the newest version.
    private var cheapest: Row? {
        rows.dropFirst(2).filter(\.isPassed).min { $0.test.keyCount < $1.test.keyCount }
    }

    private static let rule = String(repeating: "=", count: 80)
}

extension ProbeMatrix.Row {
    fileprivate func lines(isVerbose: Bool) -> [String] {
        var lines = ["---", test.name]
        if isVerbose { lines += ["ATS Dictionary:"] + OldStylePropertyList.lines(of: test.members) }
        lines.append("Result : \(isPassed ? "PASS" : "FAIL")")
        if isVerbose, !isPassed, let apple = result.diagnosis?.apple {
            lines.append("Error : " + (printed(apple) ?? composed(apple)))
        }
        return lines + ["---"]
    }

    /// The whole error as the system's own console prints it; nil on releases that do not (before 13).
    private func printed(_ apple: AppleError) -> String? {
        let line = apple.log.last { $0.contains(Self.beginning) }
        return line.flatMap { line in line.firstRange(of: Self.beginning).map { String(line[$0.lowerBound...]) } }
    }

    private static let beginning = "Error Domain="

    private func composed(_ apple: AppleError) -> String {
        "\(Self.beginning)\(apple.domain) Code=\(apple.code) \"\(apple.message)\" " + userInfo(apple)
    }

    /// The members of a device's userInfo that scripts use, without those that contain addresses of objects.
    private func userInfo(_ apple: AppleError) -> String {
        let url = result.target.url
        var members = [
            ("NSErrorFailingURLStringKey", url), ("NSErrorFailingURLKey", url),
            ("NSLocalizedDescription", apple.message),
        ]
        if let code = apple.streamErrorCode {
            members.insert(("_kCFStreamErrorCodeKey", "\(code)"), at: 0)
            members.insert(("_kCFStreamErrorDomainKey", "\(apple.streamErrorDomain ?? 3)"), at: 0)
        }
        return "UserInfo={" + members.map { "\($0)=\($1)" }.joined(separator: ", ") + "}"
    }
}

extension MatrixTest {
    /// The number of keys in its entry.
    var keyCount: Int {
        Declaration.secureDefaults.with(members).entries.first.map {
            if case .dictionary(let keys) = $0.node.value { keys.count } else { 0 }
        } ?? 0
    }
}
