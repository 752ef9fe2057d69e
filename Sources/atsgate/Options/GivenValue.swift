import Text

/// A value of an option, with its origin.
struct GivenValue: Sendable {
    let option: GateOption
    let text: String
    let origin: Origin

    enum Origin: Sendable {
        case commandLine
        case variable
        case file(path: String, line: Int)
    }

    /// The prefix of errors about it.
    fileprivate var place: String {
        switch origin {
        case .commandLine: ""
        case .variable: "\(option.variable): "
        case .file(let path, let line): "\(path):\(line): "
        }
    }
}

extension GateChoices {
    /// The defaults, changed by given values.
    ///
    /// - Parameter layers: later ones take precedence.
    /// - Throws: ``CommandFailure`` with 64 for the first invalid value.
    init(applying layers: [[GivenValue]]) throws(CommandFailure) {
        self.init()
        for (depth, layer) in layers.enumerated() {
            let above = layers[(depth + 1)...].joined()
            let replaced = Set(above.map(\.option).filter { $0.repetition == .replacing }.map(\.name))
            var said = Set<String>()
            for value in layer {
                if value.option.repetition == .once, !said.insert(value.option.name).inserted {
                    throw .usage("\(value.place)--\(value.option.name) is given twice; it takes one value")
                }
                // Replaced values are also checked.
                var unused = self
                if replaced.contains(value.option.name) { try unused.apply(value) } else { try apply(value) }
            }
        }
    }

    private mutating func apply(_ value: GivenValue) throws(CommandFailure) {
        do throws(ValueProblem) {
            try value.option.apply(value.text, to: &self)
        } catch {
            throw .usage(value.place + error.description)
        }
    }
}
