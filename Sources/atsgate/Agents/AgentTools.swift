import Agents
import Foundation
import Topics

/// The tools of `atsgate mcp`. A tool is one entry: a command that only reads, its options that write no file, and the
/// words that choose JSON.
enum AgentTools {
    static let all = [
        CommandTool(
            LintCommand.self, title: "Find mistakes in an ATS dictionary",
            options: ["os", "exclude", "baseline", "fail-on", "strict", "justifications"], fixed: ["--format=json"]),
        CommandTool(
            ExplainCommand.self, title: "Explain a URL, an error, a key, a rule or a topic",
            options: ["policy", "os", "all-os", "assume", "reading"], fixed: ["--json"]),
        CommandTool(
            AuditCommand.self, title: "Audit an app: its dictionaries, its hosts, and the ruling on each",
            options: [
                "os", "fail-on", "recording", "min-coverage", "probe", "probe-limit", "timeout", "diff", "since-sdk",
                "store", "assume", "roots", "extra-ca", "connect-to", "reading",
            ], fixed: ["--format=json"], connects: true),
        CommandTool(
            ProbeCommand.self, title: "Test servers with a device's TLS handshake",
            options: [
                "policy", "os", "all-os", "assume", "recording", "store", "roots", "extra-ca", "decrypted",
                "connect-to",
                "addresses", "timeout", "jobs", "reading",
            ], fixed: ["--json"], connects: true),
        CommandTool(
            ReportCommand.self, title: "Report recorded loads",
            options: [
                "store", "recording", "all", "host", "verdict", "rule", "app", "label", "entrance", "since", "until",
                "by", "fail-on", "baseline", "policy", "redact",
            ], fixed: ["--format=json"]),
        CommandTool(
            ReplayCommand.self, title: "Judge recorded loads under another dictionary or release",
            options: ["policy", "os", "all-os", "store", "recording", "all", "app", "entrance", "reading"],
            fixed: ["--json"]),
        CommandTool(
            SuggestCommand.self, title: "Suggest the smallest dictionary for recorded loads",
            options: ["policy", "os", "all-os", "store", "recording", "all", "app", "last-resort", "reading"],
            fixed: ["--format=json"]),
        CommandTool(
            VerifyCommand.self, title: "Check that recorded loads were allowed or blocked, or that none came",
            options: [
                "expect", "within", "store", "recording", "host", "rule", "app", "label", "entrance", "since", "until",
            ], fixed: ["--json"]),
    ]

    /// Advice for a client's model.
    static let instructions = """
        atsgate judges loads by App Transport Security (ATS), as an iPhone or a Mac would. Start with explain for an \
        error code, a log line or a URL; with lint for an Info.plist or a project; with audit for an app; with probe for \
        a server. report, replay, suggest and verify read loads that atsgate proxy or atsgate run recorded. Prefer a fix on the server to an exception in \
        the dictionary. The resources are the documentation: atsgate://docs/README lists it.
        """

    /// The documentation as resources.
    static let pages = Topic.names.compactMap { name in
        Topic(name).map { page in
            let heading = page.text.split(separator: "\n").first { $0.hasPrefix("# ") }
            return AgentPage(
                name: name, title: heading.map { String($0.dropFirst(2)) } ?? name, size: page.text.utf8.count)
        }
    }
}

/// The folders whose files the tools of `atsgate mcp` may read.
struct AllowedFolders: Sendable {
    /// Absolute, without links.
    let folders: [String]

    /// - Parameter folders: the first is the folder of relative paths.
    /// - Throws: ``CommandFailure`` with 65 for a folder that does not exist.
    init(_ folders: [String]) throws(CommandFailure) {
        var resolved: [String] = []
        for folder in folders {
            var isDirectory: ObjCBool = false
            guard let path = Self.realPath(folder),
                FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue
            else { throw .badInput("\(folder) is not a folder") }
            resolved.append(path)
        }
        self.folders = resolved
    }

    /// The path of a file with all links resolved. Tools get this path, so that the file that was checked is read.
    ///
    /// - Throws: ``ToolArgumentFault``, the same for a file outside of the folders and for one that does not exist, so that
    ///   a client does not learn which files exist elsewhere.
    func resolved(_ path: String, for name: String) throws(ToolArgumentFault) -> String {
        let absolute = path.hasPrefix("/") ? path : (folders.first ?? "/") + "/" + path
        guard let real = Self.realPath(absolute),
            folders.contains(where: { real == $0 || real.hasPrefix($0 == "/" ? "/" : $0 + "/") })
        else {
            throw ToolArgumentFault(
                "\(name): \(path) does not exist in the folders that this server may read "
                    + "(\(folders.joined(separator: ", "))); atsgate mcp --root FOLDER adds one")
        }
        return real
    }

    private static func realPath(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }
}
