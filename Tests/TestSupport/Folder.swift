public import Foundation

/// A folder for one test, deleted together with this object.
public final class Folder {
    public let url: URL
    private let isPrivate: Bool

    /// - Parameter isPrivate: True if other users may neither enter the folder nor read what is written to it.
    public init(isPrivate: Bool = false) throws {
        self.isPrivate = isPrivate
        // Short, because the path of a socket in it has at most 103 bytes on macOS.
        let name = "atsgate-test-\(UUID().uuidString.prefix(13))"
        url = FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: isPrivate ? [.posixPermissions: 0o700] : nil)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    public var path: String { url.path }

    public func path(_ name: String) -> String { url.appending(path: name).path }

    /// Writes a file and returns its path.
    @discardableResult
    public func write(_ text: String, to name: String, mode: Int? = nil) throws -> String {
        try write(name, Array(text.utf8))
        if let mode = mode ?? (isPrivate ? 0o600 : nil) {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        }
        return path(name)
    }

    /// Writes a file, creates its folders, and returns its path.
    @discardableResult
    public func write(_ name: String, _ content: some Sequence<UInt8>) throws -> String {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content).write(to: file)
        return file.path
    }

    /// The content of a file; empty if the file does not exist.
    public func read(_ name: String) -> String {
        (try? String(contentsOf: url.appending(path: name), encoding: .utf8)) ?? ""
    }

    public func mode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }

    public func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}

/// Calls `body` with the path of a folder, and deletes the folder afterwards.
public func withFolder<Answer>(_ body: (String) throws -> Answer) throws -> Answer {
    let folder = try Folder()
    return try withExtendedLifetime(folder) { try body(folder.path) }
}
