import ATSPolicy
import Diagnosis
public import Dispatch
import Foundation
public import Records
import Synchronization
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

/// Collects loads and prints them on the console. For one queue at a time.
public final class LoadPrinter: Sendable {
    private let terminal: ConsoleTerminal
    private let style: ConsoleStyle
    private let fold = Mutex(LoadFold())

    public init(_ terminal: ConsoleTerminal, style: ConsoleStyle) {
        self.terminal = terminal
        self.style = style
    }

    public func add(_ records: [LoadRecord]) {
        guard style != .none else { return }
        fold.withLock { $0.add(records) }
    }

    /// Prints the collected loads and updates the status line.
    ///
    /// - Parameter dropped: the number of loads that were dropped for lack of time.
    public func printCollected(dropped: Int = 0) {
        let line = LoadLine(
            colours: TerminalColours(isColoured: terminal.isColoured), width: terminal.width,
            secondsFromGMT: terminal.secondsFromGMT)
        let (taken, status) = fold.withLock { (taken: $0.take(), status: $0.tally.words) }
        let dropped = dropped + taken.unshown
        var text = ""
        for one in taken.lines {
            if style == .apple { text += line.log(one.load) }
            text += line.text(one.load, times: one.times, hasOtherURLs: one.hasOtherURLs)
            if one.isFirstSeen { text += line.reasons(one.load) }
        }
        if dropped > 0 { text += "          \(dropped) loads were not shown (too many at once); see the report\n" }
        guard !text.isEmpty else { return }
        terminal.output.offer(text, status: terminal.isTerminal ? status : nil)
    }

    /// The time to collect loads: until the end of the second, so that each line has all loads of its second.
    public static func untilSecondEnds() -> DispatchTimeInterval {
        let milliseconds = Int(Date().timeIntervalSince1970 * 1000) % 1000
        return .milliseconds(1000 - milliseconds + lateness)
    }

    /// The time in milliseconds that a load takes from its end to this queue.
    private static let lateness = 50

    /// Erases the status line and waits until everything is written.
    public func end() { terminal.output.endStatus() }
}

/// The error that a device alone would report for a load, and the one that the app saw through the gate.
enum ErrorCodes {
    /// For example `-1200 [3:-9858], the app saw -1200 [3:-9802]`; nil for neither.
    ///
    /// - Parameter device: as a device writes it; nil if it would report none.
    static func words(device: String?, shown: ShownError?, status: Int?) -> String? {
        let saw = shown.map { "the app saw \(text($0, status))" }
        let parts = [device, saw].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private static func text(_ shown: ShownError, _ status: Int?) -> String {
        if let codes = shown.codes { return codes }
        if shown.style == .page, let status { return "HTTP status \(status)" }
        return shown.style == .noTunnel ? "a proxy error" : shown.style.rawValue
    }
}

extension LoadRecord {
    var numbers: String? { ErrorCodes.words(device: self.apple?.codes, shown: self.shown, status: self.status) }
}
