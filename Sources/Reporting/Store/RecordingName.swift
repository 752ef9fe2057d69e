import Text

/// The name of a recording, as the form of a record contains it.
package struct RecordingName {
    private let member: String

    package init(_ name: String) {
        member = Self.member(name)
    }

    /// A form's text with another name. Replaces only the first such member, which is the record's own.
    package func replaced(by name: String, in form: String) -> String {
        form.replacing(member, with: Self.member(name), maxReplacements: 1)
    }

    private static func member(_ name: String) -> String { "\"recording\":" + JSONValue.string(name).text }
}
