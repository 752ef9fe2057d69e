public import ATSPolicy

/// What a report is told besides the loads.
public struct ReportContext: Sendable {
    /// The dictionary that the loads were held against, so that a report can point to its lines and say what each of its
    /// keys was for; nil where nobody has it.
    public var declaration: Declaration?
    /// Readings that judging again goes by.
    public var switches = JudgeSwitches()
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
