public import ATSPolicy
import Files
import Foundation

/// One file of an app.
public struct AppFile: Sendable, Hashable {
    /// Path inside the folder or the archive, with `/`.
    public let path: String
    /// nil for a file of a folder.
    let archiveIndex: Int?
}

/// The files of a folder or of a zip archive, such as an .ipa. Links are not followed.
public final class AppContents {
    /// Sorted by path.
    public let files: [AppFile]
    /// True for an archive.
    public var isArchive: Bool { archive != nil }

    private let top: String
    private let archive: ZipArchive?
    /// Bytes that may still be unpacked.
    private var budget = AppContents.unpackedBytes

    /// - Parameter path: an existing folder or archive.
    /// - Throws: if the archive cannot be read, or there are more than ``fileLimit`` files.
    public init(path: String) throws(DeclarationError) {
        top = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard try FileBytes.kind(of: path) == .file else {
            archive = nil
            var paths: [String] = []
            try Self.list(top, below: "", depth: 0, into: &paths)
            files = paths.sorted().map { AppFile(path: $0, archiveIndex: nil) }
            return
        }
        guard try FileBytes.startsLikeZip(path) else {
            throw DeclarationError(source: path, what: "not a folder, and not a zip archive such as an .ipa")
        }
        let archive = try ZipArchive(path: path)
        self.archive = archive
        files = archive.entries.filter { !$0.name.hasSuffix("/") }
            .map { AppFile(path: $0.name, archiveIndex: $0.index) }.sorted { $0.path < $1.path }
    }

    /// Opens a file, if its beginning is wanted.
    ///
    /// - Parameter isWanted: receives at most ``beginningBytes``. A file of an archive is unpacked only if it returns
    ///   true.
    /// - Returns: nil if it is not wanted.
    /// - Throws: if it cannot be read, or if the archive unpacks to more than ``unpackedBytes``.
    public func open(
        _ file: AppFile, if isWanted: ([UInt8]) -> Bool = { _ in true }
    ) throws(DeclarationError) -> AppFileContent? {
        let source = top + (archive == nil ? "/" : "!") + file.path
        guard let archive, let index = file.archiveIndex else {
            let content: AppFileContent
            do throws(FileFault) {
                content = try AppFileContent(descriptor: InputFile.open(top + "/" + file.path))
            } catch {
                throw DeclarationError(source: source, what: "cannot be read: \(error)")
            }
            return isWanted(content.bytes(at: 0, count: Self.beginningBytes)) ? content : nil
        }
        let unpacked = UnpackedFile()
        var isChecked = false
        try archive.stream(index, source: source) { piece throws(DeclarationError) in
            if !isChecked {
                isChecked = true
                guard isWanted(Array(piece.prefix(Self.beginningBytes))) else { return false }
                unpacked.isWanted = true
            }
            budget -= piece.count
            guard budget >= 0 else {
                throw DeclarationError(
                    source: source, what: "the archive unpacks to more than \(Self.unpackedBytes >> 30) GiB")
            }
            do throws(FileFault) { try unpacked.append(piece) } catch {
                throw DeclarationError(source: source, what: "cannot be unpacked to a temporary file: \(error)")
            }
            return true
        }
        return unpacked.isWanted ? unpacked.takeContent() : nil
    }

    /// The beginning of a file by which its type is recognised.
    public static let beginningBytes = 64
    /// Limit for the files of one app. The largest bundles that were measured have some 30,000.
    public static let fileLimit = 200_000
    /// Limit for all files of an archive together, unpacked. An app on the App Store has at most 4 GB (Apple, App Store
    /// Connect Help, "Maximum build file sizes").
    public static let unpackedBytes = 8 << 30

    private static let deepest = 64

    private static func list(
        _ folder: String, below place: String, depth: Int, into paths: inout [String]
    ) throws(DeclarationError) {
        guard depth < deepest else { return }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names.sorted() {
            var status = stat()
            guard lstat(folder + "/" + name, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: try list(folder + "/" + name, below: place + name + "/", depth: depth + 1, into: &paths)
            case S_IFREG: paths.append(place + name)
            default: continue
            }
            guard paths.count <= fileLimit else {
                throw DeclarationError(source: folder, what: "contains more than \(fileLimit) files")
            }
        }
    }
}

/// The bytes of an open file, read in pieces at any place.
public final class AppFileContent {
    private enum Storage {
        case memory([UInt8])
        case file(Int32)
    }

    private let storage: Storage
    /// Number of bytes when the file was opened.
    public let count: Int

    /// Takes ownership of the descriptor.
    init(descriptor: Int32) {
        storage = .file(descriptor)
        var status = stat()
        count = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    init(_ bytes: [UInt8]) {
        storage = .memory(bytes)
        count = bytes.count
    }

    deinit {
        if case .file(let descriptor) = storage { close(descriptor) }
    }

    /// The bytes of a range; fewer if the file ends before.
    public func bytes(at offset: Int, count wanted: Int) -> [UInt8] {
        guard offset >= 0, wanted > 0, offset < count else { return [] }
        let wanted = min(wanted, count - offset)
        switch storage {
        case .memory(let bytes): return Array(bytes[offset..<offset + wanted])
        case .file(let descriptor):
            return [UInt8](unsafeUninitializedCapacity: wanted) { room, got in
                while got < wanted {
                    let more = pread(descriptor, room.baseAddress?.advanced(by: got), wanted - got, off_t(offset + got))
                    if more < 0, errno == EINTR { continue }
                    guard more > 0 else { break }
                    got += more
                }
            }
        }
    }
}

/// One file of an archive while it is unpacked: small ones in memory, others in a temporary file without a name.
private final class UnpackedFile {
    var isWanted = false
    private var bytes: [UInt8] = []
    private var descriptor: Int32?

    deinit {
        if let descriptor { close(descriptor) }
    }

    func append(_ piece: ArraySlice<UInt8>) throws(FileFault) {
        if descriptor == nil, bytes.count + piece.count <= Self.mostInMemory {
            bytes += piece
            return
        }
        let target: Int32
        if let descriptor { target = descriptor } else { target = try Self.temporaryFile() }
        descriptor = target
        if !bytes.isEmpty {
            try Self.write(bytes[...], to: target)
            bytes = []
        }
        try Self.write(piece, to: target)
    }

    func takeContent() -> AppFileContent {
        defer { descriptor = nil }
        return descriptor.map(AppFileContent.init(descriptor:)) ?? AppFileContent(bytes)
    }

    private static func temporaryFile() throws(FileFault) -> Int32 {
        var template = Array((NSTemporaryDirectory() + "/atsgate-XXXXXX").utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw .system(errno: errno) }
        // Without a name, the file is gone when the process ends.
        unlink(template)
        return descriptor
    }

    private static func write(_ piece: ArraySlice<UInt8>, to descriptor: Int32) throws(FileFault) {
        var rest = piece
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw .system(errno: errno) }
            rest = rest.dropFirst(written)
        }
    }

    private static let mostInMemory = 4 << 20
}

extension AppContents {
    /// True for a file, false for a folder.
    ///
    /// - Throws: if neither exists.
    public static func isFile(_ path: String) throws(DeclarationError) -> Bool { try FileBytes.kind(of: path) == .file }

    /// True for a zip archive.
    public static func isArchive(_ path: String) throws(DeclarationError) -> Bool { try FileBytes.startsLikeZip(path) }
}
