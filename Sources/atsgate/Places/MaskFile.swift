import ATSPolicy
import Files
import Foundation
import Postgres
import Records
import Reporting
import Text

/// The key and the patterns that mask names in a store, in a file next to it that only its owner can read. The file
/// stays on this machine: without it, a guess at a name cannot be checked. With it, a report can mask the entries of a
/// dictionary like the loads.
struct MaskFile {
    private let path: String
    private var key: KeyedHash
    private var patterns: [MaskPattern] = []

    /// The suffix after the path of the store.
    static let ending = ".mask"

    /// The mask of a gate.
    ///
    /// - Parameters:
    ///   - patterns: the patterns of this run.
    ///   - storePath: nil for a run without a store, whose key is not kept.
    ///   - keyPath: a file with a key that several gates share; nil for the store's own key.
    /// - Returns: nil without patterns.
    /// - Throws: ``CommandFailure`` with 64 for a key without patterns, with 65 for a file that cannot be read and for a
    ///   store with another key, with 74 for a file that cannot be written.
    static func mask(
        _ patterns: [MaskPattern], storePath: String?, sharing keyPath: String?
    ) throws(CommandFailure) -> NameMask? {
        guard !patterns.isEmpty else {
            guard keyPath == nil else { throw .usage("--mask-key has no effect without --mask") }
            return nil
        }
        let key: KeyedHash? = if let keyPath { try sharedKey(at: keyPath) } else { nil }
        guard let storePath else { return NameMask(patterns, key: key ?? KeyedHash()) }
        let file = try MaskFile(writing: patterns, beside: storePath, with: key)
        guard let key, let keyPath, key != file.key else { return NameMask(patterns, key: file.key) }
        throw .badInput(
            "names in \(storePath) are masked with another key than that of \(keyPath), and would get a second token: "
                + "record into another store")
    }

    private static func sharedKey(at path: String) throws(CommandFailure) -> KeyedHash {
        guard let text = try? InputFile.text(of: path) else { throw .badInput("\(path) cannot be read") }
        guard let key = key(in: text) else {
            throw .badInput("\(path) has no key: it needs a line with the word key, a space and 32 hexadecimal digits")
        }
        return key
    }

    /// The mask of a store; nil if it has none.
    ///
    /// - Throws: ``CommandFailure`` with 65 for a file that exists but cannot be read.
    static func mask(beside storePath: String?) throws(CommandFailure) -> NameMask? {
        guard let storePath, let file = try MaskFile(beside: storePath) else { return nil }
        return NameMask(file.patterns, key: file.key)
    }

    /// Returns a dictionary with names masked like those of the store's loads. Loads that are older than a pattern have
    /// unmasked names.
    ///
    /// - Parameter recordings: the recordings of the loads; empty for all.
    /// - Throws: like ``mask(beside:)``, and ``StoreError``.
    static func declaration(
        _ declaration: Declaration, meeting recordings: [String], in reader: StoreReader, at storePath: String
    ) throws -> Declaration {
        guard let names = try mask(beside: storePath) else { return declaration }
        return names.declaration(declaration, meeting: try reader.hostNames(of: recordings))
    }

    /// The store's key; nil if it has none.
    static func key(beside storePath: String) throws(CommandFailure) -> KeyedHash? {
        try MaskFile(beside: storePath)?.key
    }

    private init?(beside store: String) throws(CommandFailure) {
        // A server has no files; its gates keep the key next to their spools.
        let storePath = ReadStores.address(of: store).map { DataDirectory.spoolPath($0.digest) } ?? store
        path = storePath + Self.ending
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let text = try? InputFile.text(of: path), let key = Self.key(in: text) else {
            throw Self.unreadable(path, storePath)
        }
        self.key = key
        patterns = Self.patterns(in: text)
    }

    /// Adds patterns to the file, which is locked because two gates may start at the same time.
    ///
    /// - Parameter given: the key for a store that has none; nil for a random one. A store with another key keeps it,
    ///   and its patterns.
    private init(
        writing new: [MaskPattern], beside storePath: String, with given: KeyedHash?
    ) throws(CommandFailure) {
        path = storePath + Self.ending
        let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw .badInput("the folder of \(path) does not exist") }
            throw .output("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // The file may be a copy with other permissions.
        guard flock(descriptor, LOCK_EX) == 0, fchmod(descriptor, 0o600) == 0 else {
            throw .output("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        let text: String
        do {
            text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        } catch {
            throw .badInput("\(path) cannot be read: \(error.systemWords)")
        }
        let old = Self.key(in: text)
        guard old != nil || !Self.namesKey(text) else { throw Self.unreadable(path, storePath) }
        key = old ?? given ?? KeyedHash()
        let known = Self.patterns(in: text)
        guard given == nil || given == key else { return }
        patterns = known + new.filter { !known.contains($0) }
        let lines =
            (old == nil ? [Self.keyWord + key.text] : [])
            + patterns.dropFirst(known.count).map { Self.patternWord + $0.text }
        let begin = lines.isEmpty || text.isEmpty || text.utf8.last == UInt8(ascii: "\n") ? "" : "\n"
        do {
            try file.write(contentsOf: Data((begin + lines.map { $0 + "\n" }.joined()).utf8))
        } catch {
            throw .output("\(path) cannot be written: \(error.systemWords)")
        }
    }

    private static func unreadable(_ path: String, _ storePath: String) -> CommandFailure {
        .badInput("\(path) cannot be read; without it, masked names in \(storePath) cannot be matched")
    }

    private static func key(in text: String) -> KeyedHash? {
        values(of: keyWord, in: text).first.flatMap { KeyedHash(text: $0) }
    }

    /// True if a line is meant to be a key, even an invalid one.
    private static func namesKey(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix(keyWord.dropLast()) }
    }

    private static func patterns(in text: String) -> [MaskPattern] {
        values(of: patternWord, in: text).compactMap { MaskPattern($0) }
    }

    private static func values(of word: String, in text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix(word) }.map { line in
            line.dropFirst(word.count).trimmingCharacters(in: .whitespaces)
        }
    }

    private static let keyWord = "key "
    private static let patternWord = "mask "
}
