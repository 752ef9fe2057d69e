import ATSPolicy
import Files
import Foundation

/// Reads files with a limit on their size.
enum FileBytes {
    enum Kind {
        case file, directory
    }

    /// - Throws: if the file does not exist.
    static func kind(of path: String) throws(DeclarationError) -> Kind {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw DeclarationError(source: path, what: "no such file")
        }
        return isDirectory.boolValue ? .directory : .file
    }

    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Reads a whole file.
    ///
    /// - Throws: if it cannot be read, or is larger than ``DeclarationLimits/fileBytes``.
    static func read(_ path: String) throws(DeclarationError) -> [UInt8] {
        let bytes = try take(path, upTo: DeclarationLimits.fileBytes + 1)
        guard bytes.count <= DeclarationLimits.fileBytes else { throw DeclarationLimits.tooLarge(path) }
        return bytes
    }

    /// True if a regular file begins like a zip archive. Pipes are not opened, because they can be read only once.
    static func startsLikeZip(_ path: String) throws(DeclarationError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        return try take(path, upTo: 2) == Array("PK".utf8)
    }

    private static func take(_ path: String, upTo count: Int) throws(DeclarationError) -> [UInt8] {
        do { return try InputFile.bytes(of: path, upTo: count) } catch {
            throw DeclarationError(source: path, what: "cannot be read: \(error)")
        }
    }
}

/// Standard input as bytes.
public enum StandardInput {
    /// Reads to the end, or to one byte more than the limit for a policy file.
    @Sendable public static func read() throws -> [UInt8] {
        try InputFile.bytes(of: STDIN_FILENO, upTo: DeclarationLimits.fileBytes + 1)
    }
}
