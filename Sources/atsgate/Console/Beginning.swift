import Foundation

/// What somebody is told who types `atsgate` and nothing else at a terminal.
enum Beginning {
    /// Nothing was asked for, and a person reads the answer. A script that starts `atsgate` alone gets a gate.
    static func isWanted(for arguments: [String]) -> Bool {
        arguments.isEmpty && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    }

    static let text = """
        atsgate \(toolVersion) enforces an app's App Transport Security dictionary on live HTTP and HTTPS traffic.

        Three ways to begin:
          atsgate demo                                       see it work, with nothing but this program
          atsgate proxy --policy MyApp.app                   a gate to point a simulator or a phone at
          atsgate run --policy Info.plist -- curl https://example.com/
                                                             a gate for one command, and the verdict on its loads

        atsgate --help lists all commands.

        """
}
