import Foundation

/// The default browser of this machine.
enum Browser {
    /// Opens an address with the system's command, or prints it if the command is missing.
    static func open(_ address: String) {
        #if os(macOS)
        let command = "/usr/bin/open"
        #else
        // From xdg-utils, which desktops include.
        let command = "/usr/bin/xdg-open"
        #endif
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = [address]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            StandardError.writeLine("No browser could be opened (\(command) is missing): open \(address)")
        }
    }
}
