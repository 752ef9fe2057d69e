import Foundation

/// The text for a user who types only `atsgate` at a terminal.
enum BareCommandText {
    /// True without arguments on a terminal. A script that starts `atsgate` without arguments gets a gate.
    static func isWanted(for arguments: [String]) -> Bool {
        arguments.isEmpty && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    }

    static let text = """
        atsgate \(toolVersion) enforces an app's App Transport Security dictionary on live HTTP and HTTPS traffic.

        Three ways to start:
          atsgate demo                                       see it work, without any other program
          atsgate proxy --policy MyApp.app                   a gate for a simulator or a phone
          atsgate run --policy Info.plist -- curl https://example.com/
                                                             a gate for one command, and the verdict on its loads

        atsgate --help lists all commands.

        """
}
