import Text

/// One value that was given to an option, and where.
struct GivenValue: Sendable {
    let option: GateOption
    let text: String
    let origin: Origin

    enum Origin: Sendable {
        case commandLine
        case variable
        case file(path: String, line: Int)
    }

    /// In front of what is wrong with it.
    fileprivate var place: String {
        switch origin {
        case .commandLine: ""
        case .variable: "\(option.variable): "
        case .file(let path, let line): "\(path):\(line): "
        }
    }
}

extension GateChoices {
    /// The defaults, changed by what was given.
    ///
    /// - Parameter layers: the stronger the later.
    /// - Throws: ``CommandFailure`` with 64 for the first value that cannot be right.
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
                // What is replaced is checked all the same.
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
