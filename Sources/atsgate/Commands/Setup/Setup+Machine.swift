import Setup

extension Setup {
    /// There are commands of macOS to do it with.
    static var isPossible: Bool {
        #if os(macOS)
        true
        #else
        false
        #endif
    }

    /// There are packet rules that one program alone changes.
    static var hasNetwork: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }

    /// By this machine's own commands, noted in the data directory.
    static var ofThisMachine: Setup { Setup(runner: SystemCommands(), journal: .ofThisUser) }

    /// The last resort, for people.
    static let emptyKeychains =
        "it can not be taken out alone, and atsgate setup simulator --undo --empty-keychains takes all along that "
        + "apps keep in that simulator's keychain"

    /// Takes back what a set-up had done when it was cut off, and says so. For the start of a gate: trouble is told,
    /// and stops nothing.
    static func recoverAtStart() {
        guard !SetupJournal.ofThisUser.isEmpty else { return }
        do throws(SetupFailure) {
            let (undone, waiting) = try ofThisMachine.recover()
            for change in undone {
                StandardError.say("atsgate: taken back, since setup was cut off: \(change.title)")
            }
            for title in waiting {
                StandardError.say("atsgate: setup was cut off after: \(title); \(emptyKeychains)")
            }
        } catch {
            StandardError.say("atsgate: warning: \(error.sentence)")
        }
    }
}

extension SetupJournal {
    static var ofThisUser: SetupJournal { SetupJournal(path: DataDirectory.path + "/setup.json") }
}

extension CommandFailure {
    init(_ failure: SetupFailure) {
        switch failure {
        case .command, .noService, .missing, .rights, .foreignTable, .foreignInterface, .packetFilter:
            self = .unavailable(failure.sentence)
        case .unknownService, .unknownInterface, .passwordProxy, .noSimulator: self = .usage(failure.sentence)
        case .journal, .keys: self = .output(failure.sentence)
        }
    }
}
