import Text

/// One option of the gate, declared once. The command line, configuration files, environment variables, the sample file
/// and help are all derived from it.
///
/// A new option is one line in its ``OptionSection`` and the code that uses its value.
struct GateOption: Sendable {
    /// As in `--name`, `name = value` of a configuration file, and `ATSGATE_NAME`.
    let name: String
    /// Its help, in one sentence.
    let summary: String
    /// The form of its value.
    let form: ValueForm
    /// The default as a value; nil if it has none, or if ``standard`` describes it in words.
    let defaultText: String?
    /// The default in words.
    private(set) var standard: String?
    /// More help, after the summary.
    private(set) var details = ""
    /// As in `-v`.
    private(set) var letter: Character?
    /// True for the few options that `--help` shows; `--help-hidden` shows every one.
    private(set) var isOften = false
    /// True for another spelling of an option, which no help lists.
    private(set) var isHidden = false
    private(set) var repetition: Repetition
    /// True if a configuration file may contain it.
    private(set) var isForFiles = true
    /// The value in the sample file, if it is neither the default nor the first choice.
    private var shown: String?
    private let take: @Sendable (inout GateChoices, String) throws(ValueProblem) -> Void

    /// The property that an option sets.
    typealias Target<Value> = any WritableKeyPath<GateChoices, Value> & Sendable

    /// The meaning of several values for one option.
    enum Repetition: Sendable {
        /// The values add up, also across the file and the command line.
        case adding
        /// The values of one source add up. The command line replaces the environment, which replaces the file.
        case replacing
        /// Two in one source are an error. For flags and options with an optional value, ArgumentParser returns only
        /// one.
        case once
    }

    /// An option whose default is the initial value in ``GateChoices``.
    init<Value>(
        _ name: String, _ kind: ValueKind<Value>, sets target: Target<Value>,
        _ summary: String
    ) {
        let standard = kind.write(GateChoices()[keyPath: target])
        self.init(name, kind, summary, (.once, standard)) { choices, value in choices[keyPath: target] = value }
    }

    /// An option without a default value.
    init<Value>(
        _ name: String, _ kind: ValueKind<Value>, maySet target: Target<Value?>,
        _ summary: String
    ) {
        self.init(name, kind, summary, (.once, nil)) { choices, value in choices[keyPath: target] = value }
    }

    /// An option that may be repeated.
    init<Value>(
        _ name: String, _ kind: ValueKind<Value>, addsTo target: Target<[Value]>,
        _ summary: String
    ) {
        self.init(name, kind, summary, (.adding, nil)) { choices, value in choices[keyPath: target].append(value) }
    }

    private init<Value>(
        _ name: String, _ kind: ValueKind<Value>, _ summary: String,
        _ manner: (repetition: Repetition, defaultText: String?),
        set: @escaping @Sendable (inout GateChoices, Value) -> Void
    ) {
        self.name = name
        self.summary = summary
        form = kind.form
        repetition = manner.repetition
        defaultText = manner.defaultText
        take = { (choices: inout GateChoices, text: String) throws(ValueProblem) in
            set(&choices, try kind.read(text))
        }
    }

    /// Reads a value and sets the property.
    ///
    /// - Throws: the problem with `text`, in a sentence that names the option.
    func apply(_ text: String, to choices: inout GateChoices) throws(ValueProblem) {
        do {
            try take(&choices, text)
        } catch {
            let value = form.isSecret ? "" : " '\(text)'"
            throw ValueProblem("the value\(value) is invalid for '\(synopsis)': \(error)")
        }
    }

    /// As in `--os <profile>`.
    var synopsis: String { form.isFlag ? "--\(name)" : "--\(name) <\(form.placeholder)>" }

    /// As in `ATSGATE_PORT_FILE`.
    var variable: String { Self.variablePrefix + name.uppercased().replacing("-", with: "_") }

    /// The value that the sample file shows.
    var example: String { shown ?? defaultText ?? form.choices.first ?? "" }

    /// Facts about its values: the unit, the choices and the default.
    var facts: [String] {
        let standard = self.standard ?? (form.isFlag ? nil : defaultText)
        return [
            form.unit,
            form.choices.isEmpty || form.isFlag ? nil : "values: " + form.choices.joined(separator: ", "),
            standard.map { "default: \($0)" },
            isRepeatable ? "repeatable" : nil,
        ].compactMap(\.self)
    }

    var isRepeatable: Bool { repetition == .adding || repetition == .replacing }

    static let variablePrefix = "ATSGATE_"
}

// MARK: - Optional parts

extension GateOption {
    /// Adds more help.
    func details(_ text: String) -> GateOption { changed { $0.details = text } }

    /// Describes the default in words.
    func standard(_ words: String) -> GateOption { changed { $0.standard = words } }

    /// Sets the value in the sample file.
    func example(_ value: String) -> GateOption { changed { $0.shown = value } }

    /// Adds a short name.
    func letter(_ letter: Character) -> GateOption { changed { $0.letter = letter } }

    /// Shows the option in `--help`.
    var often: GateOption { changed { $0.isOften = true } }
    /// Only `--help-hidden` shows the option.
    var seldom: GateOption { changed { $0.isOften = false } }

    /// Leaves the option out of help and of the sample file.
    var hidden: GateOption { changed { $0.isHidden = true } }

    /// Values of the command line replace those of a file instead of adding to them.
    var replacing: GateOption { changed { $0.repetition = .replacing } }

    /// Forbids the option in configuration files.
    var notInFiles: GateOption { changed { $0.isForFiles = false } }

    private func changed(_ change: (inout GateOption) -> Void) -> GateOption {
        var copy = self
        change(&copy)
        return copy
    }
}
