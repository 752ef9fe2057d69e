/// The variants of docs/console-lines.md#variants.
extension AppleConsole {
    func shows(_ variant: ConsoleVariant) -> Bool {
        device.readings.variants.contains(variant) && variant.isKnown(on: device.release)
    }

    /// An app on NSURLConnection has no task, and prints one line for the failure.
    func withoutTask(_ log: [String], code: Int) -> [String] {
        guard shows(.connection) else { return log }
        return log.filter { !$0.contains(task) && $0 != connectionFinished(code) } + [connectionFinished(code)]
    }

    /// 11 and 12.
    func connectionFinished(_ code: Int) -> String { "NSURLConnection finished with error - code \(code)" }
}
