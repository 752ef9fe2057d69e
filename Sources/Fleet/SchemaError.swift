/// Why a server or its schema cannot be used. Its words are for people, and hold no secret.
public struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Parameter description: says what is wrong, and what helps.
    init(_ description: String) { self.description = description }
}
