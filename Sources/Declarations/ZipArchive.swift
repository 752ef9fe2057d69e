import ATSPolicy
import CZip

/// Read-only access to a zip archive through libzip. The handle stays in this file.
final class ZipArchive {
    struct Entry {
        let index: Int
        let name: String
    }

    /// Entries in the order of the archive's directory.
    let entries: [Entry]
    private let handle: OpaquePointer

    /// - Throws: if the file is not a zip archive, or is cut before its directory, or if libzip is missing.
    init(path: String) throws(DeclarationError) {
        if let missing = czip_missing() {
            throw DeclarationError(source: path, what: Self.lacksLibrary(String(cString: missing)))
        }
        var code: Int32 = 0
        guard let handle = zip_open(path, ZIP_RDONLY, &code) else {
            var error = zip_error_t()
            zip_error_init_with_code(&error, code)
            defer { zip_error_fini(&error) }
            let text = Self.text(zip_error_strerror(&error))
            throw DeclarationError(source: path, what: "not a readable archive: \(text)")
        }
        let count = zip_get_num_entries(handle, 0)
        guard count <= Self.entryLimit else {
            zip_discard(handle)
            throw DeclarationError(source: path, what: "the archive has more than \(Self.entryLimit) entries")
        }
        self.handle = handle
        entries = (0..<max(0, count)).compactMap { index in
            zip_get_name(handle, zip_uint64_t(index), 0).map { Entry(index: Int(index), name: String(cString: $0)) }
        }
    }

    deinit { zip_discard(handle) }

    /// Reads one whole entry; libzip checks its CRC at the end.
    ///
    /// - Parameter source: name of the entry, for errors.
    func read(
        _ index: Int, source: String, within budget: inout DecodingBudget
    ) throws(DeclarationError) -> [UInt8] {
        var bytes: [UInt8] = []
        try stream(index, source: source) { piece throws(DeclarationError) in
            bytes += piece
            // The size in the directory is not trusted: the bytes are counted.
            guard bytes.count <= DeclarationLimits.fileBytes else { throw DeclarationLimits.tooLarge(source) }
            try budget.unpack(piece.count, source: source)
            return true
        }
        return bytes
    }

    /// Unpacks one entry in pieces.
    ///
    /// - Parameters:
    ///   - source: name of the entry, for errors.
    ///   - take: returns false to stop.
    func stream(
        _ index: Int, source: String, take: (ArraySlice<UInt8>) throws(DeclarationError) -> Bool
    ) throws(DeclarationError) {
        guard let file = zip_fopen_index(handle, zip_uint64_t(index), 0) else {
            throw DeclarationError(source: source, what: "cannot be read: \(Self.text(zip_strerror(handle)))")
        }
        defer { zip_fclose(file) }
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            // libzip 1.11 and newer require a non-null pointer.
            let got = piece.withUnsafeMutableBytes { piece in
                piece.baseAddress.map { Int(zip_fread(file, $0, zip_uint64_t(piece.count))) } ?? 0
            }
            guard got >= 0 else {
                throw DeclarationError(source: source, what: "is damaged: \(Self.text(zip_file_strerror(file)))")
            }
            if got == 0 { return }
            guard try take(piece[..<min(got, piece.count)]) else { return }
        }
    }

    private static func text(_ message: UnsafePointer<CChar>?) -> String {
        message.map { String(cString: $0) } ?? "unknown error"
    }

    /// - Parameter what: the system's error text.
    private static func lacksLibrary(_ what: String) -> String {
        "libzip is missing, which reads archives: install libzip5 or libzip4 (Debian, Ubuntu), libzip (Fedora); "
            + what
    }

    private static let entryLimit = 200_000
}
