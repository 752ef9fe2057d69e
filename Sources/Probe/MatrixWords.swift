import ATSPolicy
import Records
import Text

extension ProbeMatrix {
    /// What nscurl prints, and nothing else. Source of every line: its output in Stack Overflow 33225807 and other
    /// listings (observed); Apple, Identifying the source of blocked connections.
    ///
    /// - Parameter isVerbose: with the dictionaries and the errors.
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

    /// What it comes to, in our own words: the way to it that asks for least, and what the tests can not tell.
    public var conclusion: String {
        guard let first = rows.first else { return "" }
        let title = first.result.system.title
        if first.isPassed { return "atsgate: \(target.url) meets ATS on \(title); no exception is needed." }
        let reason = first.result.rule.map { " (\($0.rawValue))" } ?? ""
        guard let row = cheapest else {
            let why =
                rows[1].isPassed
                ? "only without ATS it loads: what is wrong is not what an entry for the host can waive"
                : "without ATS it fails, too: ATS is not the cause"
            return "atsgate: \(target.url) fails on \(title)\(reason); no exception for the host helps, \(why)."
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

    /// The whole error as the system's own console prints it, where it does (13 and later).
    private func printed(_ apple: AppleError) -> String? {
        let line = apple.log.last { $0.contains(Self.beginning) }
        return line.flatMap { line in line.firstRange(of: Self.beginning).map { String(line[$0.lowerBound...]) } }
    }

    private static let beginning = "Error Domain="

    private func composed(_ apple: AppleError) -> String {
        "\(Self.beginning)\(apple.domain) Code=\(apple.code) \"\(apple.message)\" " + userInfo(apple)
    }

    /// The members of a device's userInfo that scripts look for; those that hold addresses of objects are left out.
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
    /// Keys of its entry.
    var keyCount: Int {
        Declaration.secureDefaults.with(members).entries.first.map {
            if case .dictionary(let keys) = $0.node.value { keys.count } else { 0 }
        } ?? 0
    }
}
