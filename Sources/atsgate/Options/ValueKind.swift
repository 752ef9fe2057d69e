import Text

/// The form of an option's value, for help, completions and samples.
struct ValueForm: Sendable {
    /// As in `<host:port>`.
    var placeholder: String
    /// The possible values; empty if they cannot be listed.
    var choices: [String] = []
    /// The suggestions of a shell if not every value can be listed.
    var suggestion: ShellCompletion?
    /// The unit of the value.
    var unit: String?
    /// The value of an option that is given without one.
    var bare: String?
    /// True for an option without a value on a command line; true or false elsewhere.
    var isFlag = false
    /// True for the path of a file.
    var isFile = false
    /// True if messages must not repeat the value.
    var isSecret = false
}

/// Reads and checks the values of an option.
struct ValueKind<Value: Sendable>: Sendable {
    var form: ValueForm
    let read: @Sendable (String) throws(ValueProblem) -> Value
    /// The value in written form; nil if there is none.
    let write: @Sendable (Value) -> String?

    /// - Parameter write: needed if a default is shown.
    init(
        _ form: ValueForm, read: @escaping @Sendable (String) throws(ValueProblem) -> Value,
        write: @escaping @Sendable (Value) -> String? = { _ in nil }
    ) {
        self.form = form
        self.read = read
        self.write = write
    }

    /// A value with its own grammar.
    static func parsed(
        _ placeholder: String, _ read: @escaping @Sendable (String) throws(ValueProblem) -> Value
    ) -> ValueKind {
        ValueKind(ValueForm(placeholder: placeholder), read: read)
    }

    /// A copy with a changed form.
    func with(_ change: (inout ValueForm) -> Void) -> ValueKind {
        var copy = self
        change(&copy.form)
        return copy
    }
}

extension ValueKind where Value: CaseIterable & RawRepresentable, Value.RawValue: LosslessStringConvertible {
    /// One of the values of a type, by name.
    static func choice(_ placeholder: String) -> ValueKind { choice(placeholder, of: Array(Value.allCases)) }

    /// One of some values of a type, by name.
    static func choice(_ placeholder: String, of values: [Value]) -> ValueKind {
        let names = values.map { "\($0.rawValue)" }
        return ValueKind(
            ValueForm(placeholder: placeholder, choices: names),
            read: { (text: String) throws(ValueProblem) in
                if let index = names.firstIndex(of: text) { return values[index] }
                throw ValueProblem("write one of \(names.joined(separator: ", "))")
            },
            write: { "\($0.rawValue)" })
    }
}

extension ValueKind<Bool> {
    /// A flag.
    static let flag = yesOrNo(("true", "false")).with { $0.isFlag = true }

    /// `on` or `off`; leaving the option out may have a third meaning.
    static let onOff = yesOrNo(("on", "off"))

    private static func yesOrNo(_ words: (yes: String, no: String)) -> ValueKind {
        let (yes, no) = words
        return ValueKind(
            ValueForm(placeholder: "\(yes)|\(no)", choices: [yes, no]),
            read: { (text: String) throws(ValueProblem) in
                guard text == yes || text == no else { throw ValueProblem("write \(yes) or \(no)") }
                return text == yes
            },
            write: { $0 ? yes : no })
    }
}

extension ValueKind<String> {
    /// Any text that is not empty.
    static func text(_ placeholder: String) -> ValueKind {
        ValueKind(
            ValueForm(placeholder: placeholder),
            read: { (text: String) throws(ValueProblem) in
                guard !text.isEmpty else { throw ValueProblem("it is empty") }
                return text
            },
            write: { $0.isEmpty ? nil : $0 })
    }

    /// The path of a file or a folder.
    static func path(_ placeholder: String = "path") -> ValueKind { text(placeholder).with { $0.isFile = true } }
}

extension ValueKind<Duration> {
    /// A duration.
    static let time = ValueKind(
        ValueForm(placeholder: "time", unit: TimeSpan.units),
        read: { (text: String) throws(ValueProblem) in try TimeSpan(text).duration }, write: { TimeSpan($0).text })
}
