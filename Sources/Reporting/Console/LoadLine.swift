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
    func text(_ load: LoadRecord, times: Int = 1, hasOtherURLs: Bool = false) -> String {
        let verdict = load.verdict.words
        var cells = [clock(load.time), load.client.label?.printable, verdict].compactMap(\.self)
        if load.verdict.isTrouble {
            cells += [load.findings.first?.rule.rawValue, load.numbers].compactMap(\.self)
        } else {
            cells += [load.status.map(String.init), (load.origin?.facts?.version.name).map { "TLS " + $0 }].compactMap(
                \.self)
            cells.append("\(load.timing.total / 1000) ms")
        }
        if let device = load.device { cells.append(device.words.printable) }
        let url = [load.load.tellingMethod, load.load.url].compactMap(\.self).joined(separator: " ").printable
        var tail = [url]
        if times > 1 { tail.append("x\(times)" + (hasOtherURLs ? ", several URLs" : "")) }
        let head = cells.joined(separator: "  ")
        let last = tail.joined(separator: "  ")
        let isLong = width.map { head.count + last.count + 2 > $0 } ?? false
        return painted(head, load) + (isLong ? "\n" + indent : "  ") + last + "\n"
    }

    /// The reason and the possible fixes, one line each; empty if there are none.
    func reasons(_ load: LoadRecord) -> String {
        if load.verdict == .outside { return line("why", load.findings.first?.observed) }
        guard load.verdict.isTrouble else { return "" }
        let why = [load.findings.first?.observed, load.deciding.map { "(\($0))" }].compactMap(\.self).joined(
            separator: " ")
        var text = line("why", why.isEmpty ? nil : why)
        let also = load.findings.dropFirst().map(\.rule.rawValue)
        if !also.isEmpty { text += line("also", also.joined(separator: ", ")) }
        for advice in load.remedy?.advice ?? [] { text += line(advice.isForServer ? "fix" : "key", advice.sentence) }
        text += line("or", load.remedy?.exception.map { "in Info.plist: " + $0.sentence })
        return text + plist(load.remedy?.exception)
    }

    /// The exception as XML to paste, without a break within its lines.
    private func plist(_ fix: ExceptionFix?) -> String {
        guard let fix else { return "" }
        let start = indent + String(repeating: " ", count: Self.labelColumns)
        return EntryToPaste(fix).xml.map { start + $0.printable + "\n" }.joined()
    }

    /// The device's own lines.
    func log(_ load: LoadRecord) -> String {
        (load.apple?.log ?? []).map { colours.quiet($0.printable) + "\n" }.joined()
    }

    private func painted(_ head: String, _ load: LoadRecord) -> String {
        guard colours.isColoured else { return head }
        let verdict = load.verdict.words
        var text = head.replacing(
            "  " + verdict, with: "  " + colours.verdict(verdict, load.verdict), maxReplacements: 1)
        if let rule = load.findings.first?.rule.rawValue, load.verdict.isTrouble {
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

extension RecordedRequest {
    /// The method; nil for GET, and for CONNECT, which begins every https load through a proxy.
    fileprivate var tellingMethod: String? { ["GET", "CONNECT"].contains(method) ? nil : method }
}
