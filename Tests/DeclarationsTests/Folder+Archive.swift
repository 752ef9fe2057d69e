import CZip
import Foundation
import TestSupport

extension Folder {
    /// Writes an archive with these entries, and returns its path.
    func archive(_ name: String, _ entries: KeyValuePairs<String, [UInt8]>) throws -> String {
        let file = path + "/" + name
        var code: Int32 = 0
        guard let zip = zip_open(file, ZIP_CREATE | ZIP_TRUNCATE, &code) else { throw ArchiveFailure(code: code) }
        for (entry, content) in entries {
            // libzip frees the copy when the archive is closed, except for an empty one.
            let copy = content.isEmpty ? nil : malloc(content.count)
            content.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress { copy?.copyMemory(from: start, byteCount: bytes.count) }
            }
            let made: OpaquePointer? = zip_source_buffer(zip, copy, zip_uint64_t(content.count), 1)
            // libzip 1.11 and newer require a source.
            guard let source = made else { throw ArchiveFailure(code: -1) }
            zip_file_add(zip, entry, source, zip_flags_t(ZIP_FL_ENC_UTF_8))
        }
        guard zip_close(zip) == 0 else { throw ArchiveFailure(code: -1) }
        return file
    }

    struct ArchiveFailure: Error {
        let code: Int32
    }
}

/// Documents that several tests use.
enum Sample {
    /// An Info.plist with the given lines inside NSAppTransportSecurity, which begin on line 8.
    static func xml(_ lines: String, bundleID: String = "com.example.app") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
            <key>CFBundleIdentifier</key><string>\(bundleID)</string>
            <key>NSAppTransportSecurity</key>
            <dict>
        \(lines)
            </dict>
        </dict>
        </plist>

        """
    }

    static let arbitraryLoads = xml("<key>NSAllowsArbitraryLoads</key><true/>")
}
