public import ATSPolicy
public import Diagnosis

/// What a report is told besides the loads.
public struct ReportContext: Sendable {
    /// The dictionary that the loads were held against, so that a report can point to its lines and say what each of its
    /// keys was for; nil where nobody has it.
    public var declaration: Declaration?
    /// Reads the file of that name, for a report that was given no dictionary; nil where it is gone or is none. Asked only
    /// where all loads were held against the same one.
    public var readDictionary: (@Sendable (_ path: String) -> Declaration?)?
    /// Readings that judging again goes by.
    public var switches = JudgeSwitches()
    /// What of the loads counts, and what is known.
    public var rules = JudgementRules()
    /// Of atsgate, for formats that name their writer.
    public var toolVersion = ""
    /// Counts for text alone.
    public var isColoured = false

    public init(declaration: Declaration? = nil, toolVersion: String = "", isColoured: Bool = false) {
        self.declaration = declaration
        self.toolVersion = toolVersion
        self.isColoured = isColoured
    }
}

extension ReportContext {
    /// With the dictionary of the loads, where it can be had.
    func completed(for report: ReportModel) -> ReportContext {
        guard declaration == nil, report.header.sources.count == 1, let source = report.header.sources.first else {
            return self
        }
        var context = self
        context.declaration = source.map { readDictionary?($0) } ?? .secureDefaults
        return context
    }
}
