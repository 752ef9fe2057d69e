import Foundation
import Text

/// How far it is, on a terminal alone: one line that is written over.
final class ProbeProgress: Sendable {
    private let isShown = isatty(STDERR_FILENO) == 1

    /// - Parameter name: what was finished last.
    func show(_ done: Int, of all: Int, _ name: String) {
        guard isShown, all > 1 else { return }
        StandardError.write("\r\(done)/\(all) \(name.printable.prefix(60))\u{1B}[K")
    }

    /// Makes room for what is printed.
    func clear() {
        if isShown { StandardError.write("\r\u{1B}[K") }
    }
}
