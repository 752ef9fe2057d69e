internal import Foundation

/// What was changed on this machine, on disk before it is changed: whatever kills us, the next start knows.
public struct SetupJournal: Sendable {
    /// What one command changed.
    struct Entry: Codable, Sendable, Hashable {
        /// All of it was done. Entries that are not were cut off in the middle.
        var isWhole: Bool
        var steps: [SetupStep]
    }

    private struct Content: Codable {
        var schema = 1
        var entries: [Entry]
    }

    public let path: String

    /// - Parameter path: made on first use, readable by its owner alone.
    public init(path: String) { self.path = path }

    /// Oldest first; none where there is no file.
    func entries() throws(SetupFailure) -> [Entry] {
        guard let bytes = try JournalFile(path: path).read() else { return [] }
        do {
            return try JSONDecoder().decode(Content.self, from: bytes).entries
        } catch {
            throw .journal(path: path, reason: "it does not read as one")
        }
    }

    /// Replaces the content, whole and on disk; without entries the file goes.
    func write(_ entries: [Entry]) throws(SetupFailure) {
        if entries.isEmpty {
            guard unlink(path) == 0 || errno == ENOENT else { throw failure() }
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(Content(entries: entries)) else { throw failure() }
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: bytes)
            try file.synchronize()
        } catch {
            throw failure()
        }
        guard rename(draft, path) == 0 else { throw failure() }
    }

    /// What stands in it, for people.
    ///
    /// - Parameter kinds: nil for all.
    public func titles(of kinds: Set<Setup.Kind>? = nil) throws(SetupFailure) -> [String] {
        try entries().flatMap(\.steps).filter { kinds?.contains($0.kind) ?? true }.map(\.title)
    }

    public var isEmpty: Bool { access(path, F_OK) != 0 }

    private func failure() -> SetupFailure {
        .journal(path: path, reason: String(cString: strerror(errno)))
    }
}
