import Text

/// How the value of an option is written: what help, completions and samples need to know.
struct ValueForm: Sendable {
    /// As in `<host:port>`.
    var placeholder: String
    /// What there is to choose from; empty where that can not be listed.
    var choices: [String] = []
    /// What a shell offers where not every value can be listed.
    var suggestion: ShellCompletion?
    /// What the value is counted in.
    var unit: String?
    /// What the option means when it is named without a value.
    var bare: String?
    /// Named alone on a command line; true or false elsewhere.
    var isFlag = false
    /// The path of a file.
    var isFile = false
    /// Not to be repeated in a message.
    var isSecret = false
}

/// Reads and checks the values of an option.
struct ValueKind<Value: Sendable>: Sendable {
    var form: ValueForm
    let read: @Sendable (String) throws(ValueProblem) -> Value
    /// The value as it would be written; nil where there is nothing to write.
    let write: @Sendable (Value) -> String?

    /// - Parameter write: needed where a default is to be shown.
    init(
        _ form: ValueForm, read: @escaping @Sendable (String) throws(ValueProblem) -> Value,
        write: @escaping @Sendable (Value) -> String? = { _ in nil }
    ) {
        self.form = form
        self.read = read
        self.write = write
    }

    /// A value with a grammar of its own.
    static func parsed(
        _ placeholder: String, _ read: @escaping @Sendable (String) throws(ValueProblem) -> Value
    ) -> ValueKind {
        ValueKind(ValueForm(placeholder: placeholder), read: read)
    }

    /// The same, in other words or with other manners.
    func with(_ change: (inout ValueForm) -> Void) -> ValueKind {
        var copy = self
        change(&copy.form)
        return copy
    }
}

extension ValueKind where Value: CaseIterable & RawRepresentable, Value.RawValue: LosslessStringConvertible {
    /// One of the names that a type has.
    static func choice(_ placeholder: String) -> ValueKind { choice(placeholder, of: Array(Value.allCases)) }

    /// One of some names that a type has.
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
    /// Named to say yes.
    static let flag = yesOrNo(("true", "false")).with { $0.isFlag = true }

    /// `on` or `off`, where leaving the option out may mean a third thing.
    static let onOff = yesOrNo(("on", "off"))

    private static func yesOrNo(_ words: (yes: String, no: String)) -> ValueKind {
        let (yes, no) = words
        return ValueKind(
            ValueForm(placeholder: "\(yes)|\(no)", choices: [yes, no]),
            read: { (text: String) throws(ValueProblem) in
                guard text == yes || text == no else { throw ValueProblem("it must be \(yes) or \(no)") }
                return text == yes
            },
            write: { $0 ? yes : no })
    }
}

extension ValueKind<String> {
    /// Any text but none.
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
    /// A length of time.
    static let time = ValueKind(
        ValueForm(placeholder: "time", unit: TimeSpan.units),
        read: { (text: String) throws(ValueProblem) in try TimeSpan(text).duration }, write: { TimeSpan($0).text })
}
