import ATSPolicy
import Diagnosis
import Records
import Text

/// Formats a load, or several similar ones, as lines for a console.
struct LoadLine {
    let colours: TerminalColours
    /// The width of the terminal in characters; nil for no wrapping.
    let width: Int?
    /// Seconds to add to UTC for the time of day.
    let secondsFromGMT: Int

    init(colours: TerminalColours = TerminalColours(isColoured: false), width: Int? = nil, secondsFromGMT: Int = 0) {
        self.colours = colours
        self.width = width
        self.secondsFromGMT = secondsFromGMT
    }

    /// For example `08:15:02  phone  blocked  ats.cleartext-load  -1022, the app saw HTTP status 403  http://a.test/`.
    ///
    /// - Parameters:
    ///   - times: the number of loads on this line.
    ///   - hasOtherURLs: true if not all of them requested this URL.
    func text(_ load: LoadView, times: Int = 1, hasOtherURLs: Bool = false) -> String {
        let verdict = load.verdict.words
        var cells = [clock(load.time), load.label?.printable, verdict].compactMap(\.self)
        if load.verdict.isTrouble {
            cells += [load.complaint?.rule, load.numbers].compactMap(\.self)
        } else {
            cells += [load.status.map(String.init), load.tlsVersion.map { "TLS " + $0 }].compactMap(\.self)
            cells.append("\(load.milliseconds ?? 0) ms")
        }
        if let did = load.deviceOutcome { cells.append(did.words.printable) }
        let url = [load.tellingMethod, load.url].compactMap(\.self).joined(separator: " ").printable
        var tail = [url]
        if times > 1 { tail.append("x\(times)" + (hasOtherURLs ? ", several URLs" : "")) }
        let head = cells.joined(separator: "  ")
        let last = tail.joined(separator: "  ")
        let isLong = width.map { head.count + last.count + 2 > $0 } ?? false
        return painted(head, load) + (isLong ? "\n" + indent : "  ") + last + "\n"
    }

    /// The reason and the possible fixes, one line each; empty if there are none.
    func reasons(_ load: LoadView) -> String {
        if load.verdict == .outside { return line("why", load.complaint?.observed) }
        guard load.verdict.isTrouble else { return "" }
        let complaint = load.complaint
        let why = [complaint?.observed, complaint?.deciding.map { "(\($0))" }].compactMap(\.self).joined(separator: " ")
        var text = line("why", why.isEmpty ? nil : why)
        if !load.alsoRules.isEmpty { text += line("also", load.alsoRules.joined(separator: ", ")) }
        for advice in load.advice { text += line(advice.isForServer ? "fix" : "key", advice.sentence) }
        text += line("or", load.exception.map { "in Info.plist: " + $0 })
        return text + plist(load.exceptionFix)
    }

    /// The exception as XML to paste, without a break within its lines.
    private func plist(_ fix: ExceptionFix?) -> String {
        guard let fix else { return "" }
        let start = indent + String(repeating: " ", count: Self.labelColumns)
        return EntryToPaste(fix).xml.map { start + $0.printable + "\n" }.joined()
    }

    /// The device's own lines.
    func log(_ load: LoadView) -> String { load.log.map { colours.quiet($0.printable) + "\n" }.joined() }

    private func painted(_ head: String, _ load: LoadView) -> String {
        guard colours.isColoured else { return head }
        let verdict = load.verdict.words
        var text = head.replacing(
            "  " + verdict, with: "  " + colours.verdict(verdict, load.verdict), maxReplacements: 1)
        if let rule = load.complaint?.rule, load.verdict.isTrouble {
            text = text.replacing("  " + rule, with: "  " + colours.strong(rule), maxReplacements: 1)
        }
        return text
    }

    private func line(_ label: String, _ sentence: String?) -> String {
        guard let sentence else { return "" }
        let start = indent + label.padded(to: Self.labelColumns)
        let room = width.map { max($0 - start.count, Self.narrowest) }
        let lines = sentence.printable.wrapped(to: room)
        let next = String(repeating: " ", count: start.count)
        return indent + colours.quiet(label.padded(to: Self.labelColumns)) + lines.joined(separator: "\n" + next) + "\n"
    }

    private func clock(_ milliseconds: Int64) -> String {
        let second = milliseconds / 1000 + Int64(secondsFromGMT)
        let ofDay = ((second % Day.seconds) + Day.seconds) % Day.seconds
        return [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// The indentation below the verdict: as wide as the time and two spaces.
    private var indent: String { String(repeating: " ", count: 10) }
    private static let labelColumns = 6
    /// The narrowest column in which words are wrapped.
    private static let narrowest = 24
}

extension LoadView {
    /// The method; nil for GET, and for CONNECT, which begins every https load through a proxy.
    fileprivate var tellingMethod: String? { ["GET", "CONNECT"].contains(method) ? nil : method }
}
