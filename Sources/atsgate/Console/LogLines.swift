import Logging
import Records
import Reporting
import Text

/// The operational log: one line per event on standard error, prefixed with its level, without a time. Records carry
/// the time of each load.
struct LogLines: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    /// Names to mask; nil for none.
    private let names: NameMask?

    init(level: Logger.Level, names: NameMask? = nil) {
        logLevel = level
        self.names = names
    }

    /// A logger that writes here.
    static func logger(level: Logger.Level, names: NameMask? = nil) -> Logger {
        Logger(label: "atsgate") { _ in LogLines(level: level, names: names) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let own = metadata.merging(metadataProvider?.get() ?? [:]) { _, new in new }
        let all = own.merging(event.metadata ?? [:]) { _, new in new }
        let details = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let line = "\(event.message)\(details)"
        // Loops and signal handlers also log, and must not wait for a slow reader.
        ConsoleWriter.standardError.offer(
            "atsgate: " + Self.prefix(event.level) + (names?.sentence(line) ?? line).printable + "\n")
    }

    private static func prefix(_ level: Logger.Level) -> String {
        switch level {
        case .trace, .debug, .warning, .error, .critical: "\(level): "
        case .info, .notice: ""
        }
    }

}
