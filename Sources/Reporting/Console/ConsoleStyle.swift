/// How much the console prints about loads. Raw values are those of `--console`.
public enum ConsoleStyle: String, Sendable, Hashable, CaseIterable {
    /// A line for each load, with repeats folded.
    case short
    /// Also the lines that a device prints.
    case apple
    case none
}
