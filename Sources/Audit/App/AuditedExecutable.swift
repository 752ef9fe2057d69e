public import ATSPolicy
public import Diagnosis

/// One program of an app, with its own dictionary.
public struct AuditedExecutable: Sendable {
    /// Path of its bundle from the outermost one on; for a property list its path.
    public let path: String
    public let kind: ExecutableKind
    public let bundleID: String?
    public let declaration: Declaration
    public let system: SystemFacts
    /// The dictionary in words.
    public let dictionary: [String]
    /// The keys that need a justification in App Store review, with drafts.
    public let questions: [ReviewQuestion]
    public let pins: [PinnedKey]
    public let grade: Grade
    public let gradeReason: String
    /// The most severe first.
    public internal(set) var findings: [AuditFinding]

    init(
        path: String, kind: ExecutableKind, parsed: ParsedPropertyList, app: Declaration?, binary: MachOFile?,
        certificates: [BundledCertificate], on profile: OSProfile
    ) {
        var declaration = parsed.declaration
        let system = SystemFacts(declaration, binary: binary)
        // The binary shows what was linked; the Info.plist shows what Xcode wrote.
        declaration.linkedSDK = system.linkedSDK
        let isInner = kind != .app && kind != .file
        var linted = Linter().lint(
            declaration, bundle: path.split(separator: "/").last.map(String.init), within: isInner ? app : nil)
        linted = parsed.text.map(linted.located) ?? linted
        self.path = path
        self.kind = kind
        self.declaration = declaration
        self.system = system
        bundleID = declaration.bundleID
        dictionary = DictionaryWords(declaration, on: profile).sentences
        questions = ReviewQuestion.all(about: declaration)
        pins = PinnedKey.all(declaration, parsed.root, certificates, on: profile)
        var reason = ""
        grade = Grade(of: declaration, findings: linted.findings, on: profile, reason: &reason)
        gradeReason = reason
        findings = linted.findings.map { AuditFinding($0, in: parsed.file) }
        findings = findings.bySeverity
    }
}

/// A property list with a dictionary, and the file that it was read from.
struct ParsedPropertyList {
    /// For findings.
    let file: String
    let declaration: Declaration
    /// nil if it was not read by this target.
    let root: PropertyNode?
    let text: String?
}

extension [AuditFinding] {
    /// Errors, warnings, notes; each in the order in which they were found.
    var bySeverity: [AuditFinding] {
        enumerated().sorted { ($1.element.severity, $0.offset) < ($0.element.severity, $1.offset) }.map(\.element)
    }
}
