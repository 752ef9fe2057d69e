import ATSPolicy
import Foundation

/// Makes identifiers for Apple-style lines: a task UUID, a task index, a connection number (docs/console-lines.md).
final class TaskNames {
    private var count = 0

    func next() -> LogIdentifiers {
        count += 1
        return LogIdentifiers(task: UUID().uuidString, taskIndex: count, connection: count)
    }
}
