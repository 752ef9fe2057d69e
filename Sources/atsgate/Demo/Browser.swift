import Foundation

/// The browser of whoever sits at this machine.
enum Browser {
    /// Opens an address, with the system's own command for that; says so where there is none.
    static func open(_ address: String) {
        #if os(macOS)
        let command = "/usr/bin/open"
        #else
        // Of xdg-utils, which desktops bring along.
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
            StandardError.say("No browser could be opened (\(command) is missing): open \(address)")
        }
    }
}
