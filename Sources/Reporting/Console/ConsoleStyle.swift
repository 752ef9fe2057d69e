/// How much the console says of loads. Raw values are those of `--console`.
public enum ConsoleStyle: String, Sendable, Hashable, CaseIterable {
    /// A line for each load, repeats folded.
    case short
    /// The same, with the lines that a device prints.
    case apple
    case none
}
