import Text

/// The reason why a request is refused.
public struct WebProblem: Error, Sendable, Hashable {
    /// An HTTP status.
    public let status: Int
    /// One sentence for the user.
    public let sentence: String

    public init(_ status: Int, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }

    /// `{"error": "..."}`.
    var answer: WebAnswer { .json(.object([("error", .string(sentence))]), status: status) }
}
