import ProxyCore
import ProxyServer

/// One `--timeout NAME=TIME[,NAME=TIME...]`.
struct TimeoutList: Sendable {
    let times: [(name: Name, span: TimeSpan)]

    /// The time limits. Raw values are written on the command line.
    enum Name: String, Sendable, CaseIterable {
        case connect, handshake, head, answer, idle
        case halfClosed = "half-closed"
        case keepOrigin = "keep-origin"

        /// The property in the settings of a gate.
        var target: WritableKeyPath<GateSettings, Duration> {
            switch self {
            case .connect: \.timeouts.connect
            case .handshake: \.rules.limits.handshake
            case .head: \.rules.limits.head
            case .answer: \.rules.limits.answer
            case .idle: \.rules.limits.idle
            case .halfClosed: \.rules.limits.halfClosed
            case .keepOrigin: \.timeouts.keepOrigin
            }
        }
    }

    /// The time limits of a gate.
    init(of settings: GateSettings) {
        times = Name.allCases.map { ($0, TimeSpan(settings[keyPath: $0.target])) }
    }

    /// - Throws: ``ValueProblem`` that names the invalid part.
    init(argument text: String) throws(ValueProblem) {
        var times: [(name: Name, span: TimeSpan)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let name = Name(rawValue: String(sides[0])) else {
                let names = Name.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValueProblem("\"\(part)\" is not NAME=TIME, as in handshake=3s; the names are \(names)")
            }
            do {
                times.append((name, try TimeSpan(sides[1])))
            } catch {
                throw ValueProblem("\(name.rawValue): \(error)")
            }
        }
        self.times = times
    }

    /// The list in the form of the command line.
    var text: String { times.map { "\($0.name.rawValue)=\($0.span.text)" }.joined(separator: ",") }

    /// Sets the times in the settings of a gate.
    func apply(to settings: inout GateSettings) {
        for (name, span) in times { settings[keyPath: name.target] = span.duration }
    }
}
