import ProxyCore
import ProxyServer

/// One `--timeout NAME=TIME[,NAME=TIME...]`.
struct TimeoutList: Sendable {
    let times: [(name: Name, span: TimeSpan)]

    /// What can be limited. Raw values are written on the command line.
    enum Name: String, Sendable, CaseIterable {
        case connect, handshake, head, answer, idle
        case halfClosed = "half-closed"
        case keepOrigin = "keep-origin"
    }

    /// - Throws: ``ValueProblem`` that names the part at fault.
    init(_ text: String) throws(ValueProblem) {
        var times: [(name: Name, span: TimeSpan)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let name = Name(rawValue: String(sides[0])) else {
                let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValueProblem("\"\(part)\" is not NAME=TIME with a name out of \(names)")
            }
            do {
                times.append((name, try TimeSpan(sides[1])))
            } catch {
                throw ValueProblem("\(name.rawValue): \(error)")
            }
        }
        self.times = times
    }

    /// Sets the times in the settings of a gate.
    func apply(to settings: inout GateSettings) {
        for (name, span) in times {
            switch name {
            case .connect: settings.timeouts.connect = span.duration
            case .handshake: settings.session.handshake = span.duration
            case .head: settings.session.head = span.duration
            case .answer: settings.session.answer = span.duration
            case .idle: settings.session.idle = span.duration
            case .halfClosed: settings.session.halfClosed = span.duration
            case .keepOrigin: settings.timeouts.keepOrigin = span.duration
            }
        }
    }
}
