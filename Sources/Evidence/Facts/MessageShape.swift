public import ATSPolicy

/// One form of message about a load: how it is recognised, and the public source that shows it.
public struct MessageShape: Sendable {
    /// The subject of the message, for the list in docs/evidence.md.
    public let name: String
    /// A message without these bytes does not have this form.
    let needle: StaticString
    /// A public page that shows it.
    public let source: String
    public let confidence: Confidence
    /// Returns the fact; nil if the message only resembles the form.
    let read: @Sendable (LogText) -> Fact?

    /// The fact in `text`, by the first form that fits.
    static func fact(in text: LogText) -> Fact? {
        let text = text.trimmed
        for shape in all where text.contains(shape.needle) {
            if let fact = shape.read(text) { return fact }
        }
        return nil
    }

    /// In order of precedence: forms with more facts come first.
    public static let all: [MessageShape] =
        diagnostics + refusals + taskEnds + taskSteps + connections + trust + older + errors + frameworks
}
