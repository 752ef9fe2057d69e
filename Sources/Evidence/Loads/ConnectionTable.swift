/// The connections of all processes that a log speaks of; the oldest go where there are too many.
struct ConnectionTable {
    private struct Key: Hashable {
        let process: Int
        let number: Int
    }

    private var connections: [Key: Connection] = [:]
    /// In which order they came.
    private var order: [Key] = []
    /// Those whose trust is being evaluated, few at a time.
    private var evaluating: [Connection] = []

    private static let limit = 4096
    private static let evaluatingLimit = 64

    /// The connection of this number, a new one where there was none.
    mutating func connection(_ number: Int, of message: LogMessage) -> Connection {
        let key = Key(process: message.process, number: number)
        if let known = connections[key] {
            known.lastLine = message.line
            return known
        }
        let new = Connection(number: number, process: message.process, line: message.line)
        connections[key] = new
        order.append(key)
        if order.count > Self.limit {
            for old in order.prefix(Self.limit / 4) { connections[old] = nil }
            order.removeFirst(Self.limit / 4)
        }
        return new
    }

    mutating func beginEvaluating(_ connection: Connection) {
        connection.isEvaluating = true
        evaluating.removeAll { $0 === connection || !$0.isEvaluating }
        evaluating.append(connection)
        if evaluating.count > Self.evaluatingLimit { evaluating.removeFirst() }
    }

    /// The one connection of a process whose trust is being evaluated; nil where there are several or none.
    func evaluated(in process: Int) -> Connection? {
        let those = evaluating.filter { $0.isEvaluating && isSame(process, $0.process) }
        return those.count == 1 ? those[0] : nil
    }
}

/// Whether two lines may be of one process: one without a number may be of any.
func isSame(_ one: Int, _ other: Int) -> Bool { one == other || one == 0 || other == 0 }
