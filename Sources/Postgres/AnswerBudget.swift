/// The bytes that a server may send for a statement, and in the life of a connection. A server is not trusted with the
/// memory of this process: with the buffers of libpq, all limits together come to less than 64 MiB.
struct AnswerBudget {
    /// Rows of a statement.
    static let mostRows = 200_000
    /// Bytes of a statement's rows that are kept.
    static let mostRowBytes = 20 << 20
    /// Bytes since the last complete row; libpq holds them until it is complete. A row has at most 1 MiB
    /// (Sources/Fleet/Schema/schema.sql).
    private static let mostPending = 4 << 20
    /// Bytes that were neither rows nor expected, in the life of a connection: libpq keeps some of them for that long.
    private static let mostSurplus = 4 << 20
    /// Expected bytes of a statement in addition to its rows, which include the names of its columns; of the rows' own
    /// bytes TLS takes less than an eighth.
    private static let usualBytes = 4 << 10
    /// Bytes from the server until a connection is ready.
    static let mostGreeting = 1 << 20

    private var begin = 0
    private var rowBytes = 0
    private var surplus = 0

    /// Settles the last statement, and begins another.
    ///
    /// - Parameter received: bytes from the server so far.
    mutating func start(at received: Int) {
        surplus += max(0, received - begin - rowBytes - rowBytes / 8 - Self.usualBytes)
        (begin, rowBytes) = (received, 0)
    }

    /// A row or notification was taken from libpq, which has released it.
    ///
    /// - Parameter bytes: its size on the wire.
    mutating func take(_ bytes: Int) { rowBytes += bytes }

    /// The reason to close the connection, or nil.
    func complaint(at received: Int) -> String? {
        guard received - begin - rowBytes > Self.mostPending || surplus > Self.mostSurplus else { return nil }
        return "the server sent more than an answer may have"
    }
}
