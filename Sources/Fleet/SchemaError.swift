/// The reason why a server or its schema cannot be used, as a sentence for the user. Contains no secrets.
public struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Parameter description: names the problem and the next step.
    init(_ description: String) { self.description = description }
}
