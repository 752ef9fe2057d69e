/// The connections of all processes in a log. If there are too many, the least recently named ones are dropped.
struct ConnectionTable {
    private struct Key: Hashable {
        let process: Int
        let number: Int
    }

    private var connections: [Key: Connection] = [:]
    /// Connections whose trust is being evaluated, few at a time.
    private var evaluating: [Connection] = []

    private static let limit = 4096
    private static let evaluatingLimit = 64
    /// A line about trust belongs to a connection that is being evaluated if it is at most this many lines after the
    /// connection's last one.
    static let trustReach = 1_000

    /// Returns the connection with this number, a new one if there is none.
    mutating func connection(_ number: Int, of message: LogMessage) -> Connection {
        let key = Key(process: message.process, number: number)
        if let known = connections[key] {
            known.lastLine = message.line
            return known
        }
        let new = Connection(process: message.process, line: message.line)
        connections[key] = new
        if connections.count > Self.limit { forget() }
        return new
    }

    private mutating func forget() {
        let old = connections.sorted { one, other in
            (one.value.lastLine, one.key.number, one.key.process)
                < (other.value.lastLine, other.key.number, other.key.process)
        }
        for (key, _) in old.prefix(Self.limit / 4) { connections[key] = nil }
    }

    mutating func beginEvaluating(_ connection: Connection) {
        connection.isEvaluating = true
        evaluating.removeAll { $0 === connection || !$0.isEvaluating }
        evaluating.append(connection)
        if evaluating.count > Self.evaluatingLimit { evaluating.removeFirst() }
    }

    /// The only connection of a process whose trust is being evaluated; nil if there are several or none.
    func evaluated(in process: Int, at line: Int) -> Connection? {
        let those = evaluating.filter {
            $0.isEvaluating && isSame(process, $0.process) && line - $0.lastLine <= Self.trustReach
        }
        return those.count == 1 ? those[0] : nil
    }
}

/// True if two lines may be of one process; one without a number may be of any.
func isSame(_ one: Int, _ other: Int) -> Bool { one == other || one == 0 || other == 0 }
