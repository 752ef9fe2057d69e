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
            for value in layer {
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

extension DeclaredOptions {
    /// The defaults, changed by the configuration file, the environment and the command line.
    ///
    /// - Throws: ``CommandFailure`` with 64 for names that are no options and values that cannot be right, 65 for a
    ///   configuration file that cannot be read.
    func choices() throws(CommandFailure) -> GateChoices {
        let variables = try EnvironmentVariables(of: Catalogue.list.options).values
        let choices = try GateChoices(applying: [variables, given])
        guard let path = choices.config else { return choices }
        // A gate's file serves every command; each takes what concerns it.
        let file = try ConfigurationFile(path: path, options: GateCatalogue.list.options)
        return try GateChoices(applying: [file.values, variables, given])
    }
}
