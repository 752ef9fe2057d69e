import ATSPolicy

/// A list that is neither XML nor binary: JSON, the output of a tool, or a project file.
struct PastedList {
    let root: PropertyNode
    /// A remark on the format; nil if there is none.
    var note: String?

    /// - Parameter first: the first byte that is not blank.
    /// - Throws: for any other text.
    init(
        _ utf8: [UInt8], first: UInt8, source: String, within budget: inout DecodingBudget
    ) throws(DeclarationError) {
        if let complaint = Self.complaint(about: source) { throw DeclarationError(source: source, what: complaint) }
        if source.hasSuffix(".swift") || SwiftManifest.isOne(utf8) {
            root = try SwiftManifest.parse(utf8, source: source, within: &budget)
            return
        }
        if Self.isProject(source) || Self.hasTargets(utf8) {
            root = try YAMLText.parse(try Self.text(utf8, source), source: source, within: &budget)
            return
        }
        let text = try Self.text(utf8, source)
        if PrintedList.isLikely(text) {
            root = try PrintedList.parse(text, source: source, within: &budget)
            note = text.contains("\" => 1") || text.contains("\" => 0") ? PrintedList.numbersNote : nil
            return
        }
        let isBraced = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        guard isBraced else {
            if let error = PreprocessorLine.error(in: utf8, source: source) { throw error }
            guard OldStyleList.isLikely(utf8) else {
                throw DeclarationError(
                    source: source, line: 1, what: "not a property list, a JSON object, or a file of a known tool")
            }
            root = try Self.oldStyle(utf8, text, source, &budget)
            note = Self.oldStyleNote(text)
            return
        }
        do throws(DeclarationError) {
            root = try JSONText.parse(utf8, source: source, within: &budget)
        } catch {
            guard OldStyleList.isLikely(utf8) else { throw error }
            root = try Self.oldStyle(utf8, text, source, &budget)
            note = Self.oldStyleNote(text)
        }
    }

    private static func text(_ utf8: [UInt8], _ source: String) throws(DeclarationError) -> String {
        guard let text = String(validating: utf8, as: UTF8.self) else {
            throw DeclarationError(source: source, what: "the text is not UTF-8")
        }
        return text
    }

    /// Reads an old-style list that contains keys of ATS or of an Info.plist. Nearly any other text is a valid list, too.
    private static func oldStyle(
        _ utf8: [UInt8], _ text: String, _ source: String, _ budget: inout DecodingBudget
    ) throws(DeclarationError) -> PropertyNode {
        let keys = [ATSKey.root, "CFBundle"] + ATSKey.global + ATSKey.exception + ATSKey.legacy
        guard keys.contains(where: text.contains) else {
            throw DeclarationError(
                source: source, line: 1,
                what: "old-style property list (key = value;) without keys of ATS or an Info.plist")
        }
        return try OldStyleText.parse(utf8, source: source, within: &budget)
    }

    private static func oldStyleNote(_ text: String) -> String? {
        text.contains(/=\s*[01]\s*;/) ? PrintedList.numbersNote : nil
    }

    static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// True for the name of a YAML file.
    static func isProject(_ source: String) -> Bool { source.hasSuffix(".yml") || source.hasSuffix(".yaml") }

    /// True if a line begins with the key that each XcodeGen project has.
    private static func hasTargets(_ utf8: [UInt8]) -> Bool {
        utf8.starts(with: "targets:".utf8) || utf8.split(separator: 0x0A).contains { $0.starts(with: "targets:".utf8) }
    }

    /// The reason why a file of another kind cannot be read, by its name; nil for all others.
    private static func complaint(about source: String) -> String? {
        let programs = [".js", ".ts", ".cjs", ".mjs", ".mts", ".cts"]
        if programs.contains(where: source.hasSuffix) {
            return "a program, which is not run: use its result, such as the output of npx expo config --json, or the"
                + " Info.plist of the built app"
        }
        if [".xcconfig", ".pbxproj"].contains(where: source.hasSuffix) {
            return "build settings cannot contain \(ATSKey.root), which is a dictionary: use the file that"
                + " INFOPLIST_FILE names, or the Info.plist of the built app"
        }
        if source.hasSuffix(".toml") || source.hasSuffix(".json5") {
            return "TOML and JSON5 are not read: use the Info.plist of the built app"
        }
        return nil
    }

    /// The text without the fences of Markdown around it, in as many lines.
    static func unfenced(_ text: PolicyText) -> PolicyText {
        let start = text.utf8.drop(while: isBlank)
        guard start.starts(with: "```".utf8) else { return text }
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            line -> ArraySlice<UInt8> in
            line.drop(while: isBlank).starts(with: "```".utf8) ? [] : line
        }
        return PolicyText(Array(lines.joined(separator: [0x0A])), like: text)
    }
}
