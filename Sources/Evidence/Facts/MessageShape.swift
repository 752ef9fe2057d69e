public import ATSPolicy

/// One shape of message that says something about a load: how it is recognised, and where it was seen in public.
public struct MessageShape: Sendable {
    /// What the message is about, for the list in docs/evidence.md.
    public let name: String
    /// Without these bytes it is another shape.
    let needle: StaticString
    /// A public page that shows it.
    public let source: String
    public let confidence: Confidence
    /// What the message says; nil where it only looks like the shape.
    let read: @Sendable (LogText) -> Fact?

    /// What `text` says, by the first shape that fits.
    static func fact(in text: LogText) -> Fact? {
        let text = text.trimmed
        for shape in all where text.contains(shape.needle) {
            if let fact = shape.read(text) { return fact }
        }
        return nil
    }

    /// The order decides: what says more comes first.
    public static let all: [MessageShape] =
        diagnostics + refusals + taskEnds + taskSteps + connections + trust + older + errors
}
