import Text

/// One option of the gate, declared once: the command line, configuration files, environment variables, the sample
/// file and help are all made of this.
///
/// A new option is one line in its ``OptionSection`` and the place that uses what it sets.
struct GateOption: Sendable {
    /// As in `--name`, `name = value` of a configuration file, and `ATSGATE_NAME`.
    let name: String
    /// What it is, in one sentence.
    let summary: String
    /// How its value is written.
    let form: ValueForm
    /// The default as a value; nil where it has none, or where ``standard`` tells it in words.
    let defaultText: String?
    /// The default in words.
    private(set) var standard: String?
    /// What the summary leaves out.
    private(set) var details = ""
    /// As in `-v`.
    private(set) var letter: Character?
    /// Among the few that `--help` shows; `--help-all` shows every one.
    private(set) var isOften = false
    private(set) var repetition: Repetition
    /// A configuration file may hold it.
    private(set) var isForFiles = true
    /// What the sample file shows it with; else the default, or the first of its values.
    private var shown: String?
    private let take: @Sendable (inout GateChoices, String) throws(ValueProblem) -> Void

    /// What an option sets.
    typealias Target<Value> = any WritableKeyPath<GateChoices, Value> & Sendable

    /// What several values of one option mean.
    enum Repetition: Sendable {
        /// They add up, those of a file and of the command line, too.
        case adding
        /// They add up, and those of the command line replace those of the environment, and these the file's.
        case replacing
        /// Two in one place are an error. Of a flag, and of an option that may be named alone, ArgumentParser shows one.
        case once
    }

    /// An option whose default is what stands in ``GateChoices`` from the start.
    init<Value>(
        _ name: String, _ kind: ValueKind<Value>, sets target: Target<Value>,
        _ summary: String
    ) {
        let standard = kind.write(GateChoices()[keyPath: target])
        self.init(name, kind, summary, (.once, standard)) { choices, value in choices[keyPath: target] = value }
    }

    /// An option that may be left out, which means something of its own.
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

    /// Sets what the option is for.
    ///
    /// - Throws: what is wrong with `text`, in a sentence that names the option.
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

    /// What is known of its values: their unit, what there is to choose from, and what holds without it.
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

// MARK: - What most options do without

extension GateOption {
    /// With what the summary leaves out.
    func details(_ text: String) -> GateOption { changed { $0.details = text } }

    /// With a default that is told in words.
    func standard(_ words: String) -> GateOption { changed { $0.standard = words } }

    /// With a value for the sample file.
    func example(_ value: String) -> GateOption { changed { $0.shown = value } }

    /// With a letter of its own.
    func letter(_ letter: Character) -> GateOption { changed { $0.letter = letter } }

    /// Shown by `--help`.
    var often: GateOption { changed { $0.isOften = true } }

    /// Values of the command line replace those of a file instead of adding to them.
    var replacing: GateOption { changed { $0.repetition = .replacing } }

    /// Not to be written in a configuration file.
    var notInFiles: GateOption { changed { $0.isForFiles = false } }

    private func changed(_ change: (inout GateOption) -> Void) -> GateOption {
        var copy = self
        change(&copy)
        return copy
    }
}
