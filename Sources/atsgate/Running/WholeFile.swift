import Foundation

/// Files that others wait for: they appear with all their content, or not at all.
enum WholeFile {
    /// - Throws: ``CommandFailure`` with 74.
    static func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandFailure.output("\(path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// Takes away what an earlier run left, so that nobody reads it for news.
    static func forget(_ path: String) {
        unlink(path)
    }
}
