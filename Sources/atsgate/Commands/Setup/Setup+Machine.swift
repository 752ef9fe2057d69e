import Setup

extension Setup {
    /// True if this machine has the commands of macOS that setup needs.
    static var isPossible: Bool {
        #if os(macOS)
        true
        #else
        false
        #endif
    }

    /// True if this machine has nftables, where atsgate can keep its rules in its own table.
    static var hasNetwork: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }

    /// The setup that runs this machine's commands and keeps its journal in the data directory.
    static var ofThisMachine: Setup { Setup(runner: SystemCommands(), journal: .ofThisUser) }

    /// The advice for a CA that cannot be removed from a keychain.
    static let emptyKeychains =
        "it cannot be removed alone; atsgate setup simulator --undo --empty-keychains also deletes everything that "
        + "apps keep in that simulator's keychain"

    /// Reverts an interrupted setup and reports that. Called when a gate starts: errors are printed and do not stop it.
    static func recoverAtStart() {
        guard !SetupJournal.ofThisUser.isEmpty else { return }
        do throws(SetupFailure) {
            let (undone, waiting) = try ofThisMachine.recover()
            for change in undone {
                StandardError.writeLine("atsgate: reverted because setup was interrupted: \(change.title)")
            }
            for title in waiting {
                StandardError.writeLine("atsgate: setup was interrupted after: \(title); \(emptyKeychains)")
            }
        } catch {
            StandardError.writeLine("atsgate: warning: \(error.sentence)")
        }
    }
}

extension SetupJournal {
    static var ofThisUser: SetupJournal { SetupJournal(path: DataDirectory.path + "/setup.json") }
}

extension CommandFailure {
    init(_ failure: SetupFailure) {
        switch failure {
        case .command, .noService, .noWindow, .missing, .rights, .foreignTable, .foreignInterface:
            self = .unavailable(failure.sentence)
        case .unknownService, .unknownInterface, .passwordProxy, .noSimulator: self = .usage(failure.sentence)
        case .journal, .keys: self = .output(failure.sentence)
        }
    }
}
