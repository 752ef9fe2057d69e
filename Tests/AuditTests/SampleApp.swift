import Foundation
import Testing

/// An app in a temporary folder, which is deleted with this value.
final class SampleApp {
    let folder: String
    /// Path of the .app.
    var path: String { folder + "/Demo.app" }

    init() throws {
        folder = NSTemporaryDirectory() + "/atsgate-audit-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Writes a file of the app.
    func add(_ place: String, _ bytes: [UInt8]) throws {
        let file = URL(fileURLWithPath: path + "/" + place)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    func add(_ place: String, _ text: String) throws { try add(place, Array(text.utf8)) }

    /// Writes an Info.plist with an ATS dictionary, given as the content of its `<dict>`.
    func addInfo(_ folder: String = "", id: String = "app.example.demo", ats: String = "", more: String = "") throws {
        let dictionary = ats.isEmpty ? "" : "<key>NSAppTransportSecurity</key><dict>\(ats)</dict>"
        try add(
            (folder.isEmpty ? "" : folder + "/") + "Info.plist",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>\(id)</string>
            <key>CFBundleExecutable</key><string>Main</string>
            <key>MinimumOSVersion</key><string>15.0</string>
            \(dictionary)\(more)
            </dict></plist>
            """)
    }
}
