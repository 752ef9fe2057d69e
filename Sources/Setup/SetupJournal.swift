internal import Foundation

/// The changes to this machine, written to disk before they are made, so that the next start can undo an aborted setup.
public struct SetupJournal: Sendable {
    /// The changes of one command.
    struct Entry: Codable, Sendable, Hashable {
        /// True if all steps were made. Other entries were aborted.
        var isWhole: Bool
        var steps: [SetupStep]
    }

    private struct Content: Codable {
        var schema = 1
        var entries: [Entry]
    }

    public let path: String

    /// - Parameter path: created on first use, readable by its owner only.
    public init(path: String) { self.path = path }

    /// Oldest first; empty if the file does not exist.
    func entries() throws(SetupFailure) -> [Entry] {
        guard let bytes = try JournalFile(path: path).read() else { return [] }
        do {
            return try JSONDecoder().decode(Content.self, from: bytes).entries
        } catch {
            throw .journal(path: path, reason: "it is not a valid journal")
        }
    }

    /// Replaces the content atomically and syncs it; without entries the file is deleted.
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

    /// Titles of the steps in the journal, for the user.
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
