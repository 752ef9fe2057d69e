public import ATSPolicy
public import Diagnosis

/// The input of a report other than the loads.
public struct ReportContext: Sendable {
    /// The dictionary that the loads were judged by, for references to its lines and a summary of its keys; nil if
    /// unavailable.
    public var declaration: Declaration?
    /// Reads the dictionary at a path, for a report without one; nil if the file is gone or has no dictionary. Used
    /// only if all loads were judged by the same one.
    public var readDictionary: (@Sendable (_ path: String) -> Declaration?)?
    /// The interpretations of ATS to use when judging again.
    public var switches = JudgeSwitches()
    /// Which loads count, and which are known.
    public var rules = JudgementRules()
    /// The version of atsgate, for formats that name their producer.
    public var toolVersion = ""
    /// For the text format only.
    public var isColoured = false
    /// True to print exceptions as commands of PlistBuddy instead of XML, in formats for people.
    public var showsCommands = false

    public init(declaration: Declaration? = nil, toolVersion: String = "", isColoured: Bool = false) {
        self.declaration = declaration
        self.toolVersion = toolVersion
        self.isColoured = isColoured
    }
}

extension ReportContext {
    /// An exception in the form to paste, a line each.
    func entry(_ fix: ExceptionFix) -> [String] {
        let toPaste = EntryToPaste(fix, in: declaration ?? .secureDefaults)
        return showsCommands ? toPaste.plistBuddy : toPaste.xml
    }

    /// The context with the dictionary of the loads, if it is available.
    func completed(for report: ReportModel) -> ReportContext {
        guard declaration == nil, report.header.sources.count == 1, let source = report.header.sources.first else {
            return self
        }
        var context = self
        context.declaration = source.map { readDictionary?($0) } ?? .secureDefaults
        return context
    }
}
