import Foundation
import Records
import Text

/// What masks names in a store: a key and the patterns that were asked for, in a file beside it that only its owner can
/// read. It stays at home: without it nobody can try a guess at a name, and with it a report can name the entries of a
/// dictionary as the loads are named.
struct MaskFile {
    private let path: String
    private var key: KeyedHash
    private var patterns: [MaskPattern] = []

    /// What follows the path of the store.
    static let ending = ".mask"

    /// What a gate masks.
    ///
    /// - Parameters:
    ///   - patterns: of this run.
    ///   - storePath: nil for a run that keeps no store, whose key is forgotten.
    /// - Returns: nil without patterns.
    /// - Throws: ``CommandFailure`` with 65 for a file that cannot be read, with 74 for one that cannot be written.
    static func mask(_ patterns: [MaskPattern], storePath: String?) throws(CommandFailure) -> NameMask? {
        guard !patterns.isEmpty else { return nil }
        guard let storePath else { return NameMask(patterns, key: KeyedHash()) }
        return NameMask(patterns, key: try MaskFile(writing: patterns, beside: storePath).key)
    }

    /// What was masked in a store so far; nil for nothing.
    ///
    /// - Throws: ``CommandFailure`` with 65 for a file that is there and cannot be read.
    static func mask(beside storePath: String?) throws(CommandFailure) -> NameMask? {
        guard let storePath, let file = try MaskFile(beside: storePath) else { return nil }
        return NameMask(file.patterns, key: file.key)
    }

    /// The store's key; nil where it has none.
    static func key(beside storePath: String) throws(CommandFailure) -> KeyedHash? {
        try MaskFile(beside: storePath)?.key
    }

    private init?(beside storePath: String) throws(CommandFailure) {
        path = storePath + Self.ending
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8), let key = Self.key(in: text) else {
            throw .badInput("\(path) cannot be read; without it names in \(storePath) cannot be told apart from others")
        }
        self.key = key
        patterns = Self.patterns(in: text)
    }

    /// Two gates may begin at once, so the file is locked meanwhile.
    private init(writing new: [MaskPattern], beside storePath: String) throws(CommandFailure) {
        path = storePath + Self.ending
        let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else {
            if errno == ENOENT { throw .badInput("the folder of \(path) is not there") }
            throw .output("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            key = Self.key(in: text) ?? KeyedHash()
            let known = Self.patterns(in: text)
            patterns = known + new.filter { !known.contains($0) }
            let lines =
                (Self.key(in: text) == nil ? [Self.keyWord + key.text] : [])
                + patterns.dropFirst(known.count).map { Self.patternWord + $0.text }
            try file.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
        } catch {
            throw .output("\(path) cannot be written: \(error.localizedDescription)")
        }
    }

    private static func key(in text: String) -> KeyedHash? {
        values(of: keyWord, in: text).first.flatMap { KeyedHash(text: $0) }
    }

    private static func patterns(in text: String) -> [MaskPattern] {
        values(of: patternWord, in: text).compactMap { MaskPattern($0) }
    }

    private static func values(of word: String, in text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix(word) }.map { String($0.dropFirst(word.count)) }
    }

    private static let keyWord = "key "
    private static let patternWord = "mask "
}
