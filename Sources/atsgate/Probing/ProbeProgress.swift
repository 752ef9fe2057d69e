import Foundation
import Text

/// The progress on a terminal, in one line that is overwritten.
final class ProbeProgress: Sendable {
    private let isShown = isatty(STDERR_FILENO) == 1

    /// - Parameter name: the item that was finished last.
    func show(_ done: Int, of all: Int, _ name: String) {
        guard isShown, all > 1 else { return }
        StandardError.write("\r\(done)/\(all) \(name.printable.prefix(60))\u{1B}[K")
    }

    /// Clears the line before other output.
    func clear() {
        if isShown { StandardError.write("\r\u{1B}[K") }
    }
}
