import Foundation

/// Default names of recordings.
enum RecordingName {
    /// The name of the dictionary, and the time in UTC to the millisecond so that two runs seldom share a name, as in
    /// `Shop-2026-11-21T01-52-17.250Z`. It needs no quoting in a shell.
    ///
    /// - Parameter policy: the value of `--policy`; nil without one, which leaves only the time.
    static func usual(for policy: String?, at time: Date) -> String {
        let stamp = time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)).replacing(":", with: "-")
        return policy.flatMap(app).map { "\($0)-\(stamp)" } ?? stamp
    }

    /// The app or file that a dictionary belongs to; nil if its path names none. `Info.plist` is named after its bundle.
    private static func app(of policy: String) -> String? {
        let stored = policy.hasPrefix("store:") ? policy.dropFirst(6).prefix { $0 != "@" } : nil
        // Info.plist in the current folder is named after that folder.
        let path = stored.map(String.init) ?? (policy == "-" ? policy : URL(fileURLWithPath: policy).path)
        let parts = path.split(separator: "/").map { part in
            // `project.yml#Shop` is one app of a project file.
            part.split(separator: "#").last.map { stem(of: $0) } ?? ""
        }
        let name = parts.last { !["Info", "Contents", ".", "..", "-", ""].contains($0) } ?? ""
        let plain = name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "-" }
        let start = plain.drop { $0 == "-" }
        return start.isEmpty ? nil : String(start.prefix(40))
    }

    /// A file's name without its extension.
    private static func stem(of name: Substring) -> String {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return String(name) }
        return String(name[..<dot])
    }
}
