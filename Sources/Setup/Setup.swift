/// Changes this machine, and takes it back: every step stands in the journal before it is made.
public struct Setup: Sendable {
    let runner: any CommandRunner
    let journal: SetupJournal

    public init(runner: any CommandRunner, journal: SetupJournal) {
        self.runner = runner
        self.journal = journal
    }

    /// Which steps are meant.
    public enum Kind: Sendable, Hashable {
        case mac, simulators
    }

    /// Makes all steps, or none.
    func make(_ steps: [SetupStep]) throws(SetupFailure) {
        var entries = try journal.entries()
        entries.append(SetupJournal.Entry(isWhole: false, steps: []))
        let place = entries.count - 1
        for step in steps {
            entries[place].steps.append(step)
            try journal.write(entries)
            do {
                for command in step.commands { try run(command) }
            } catch {
                try giveUp(on: step, in: &entries)
                throw error
            }
        }
        entries[place].isWhole = true
        try journal.write(steps.isEmpty ? entries.dropLast() : entries)
    }

    /// A step of the newest entry could not be made: what was made before goes too, as far as that takes nothing along.
    private func giveUp(on step: SetupStep, in entries: inout [SetupJournal.Entry]) throws(SetupFailure) {
        guard var entry = entries.popLast() else { return }
        // Where even that fails, the journal keeps it for the next start.
        _ = try undo(entry.steps.filter(\.isExact))
        entry.steps.removeAll { $0.isExact || $0 == step }
        entry.isWhole = true
        if !entry.steps.isEmpty { entries.append(entry) }
        try journal.write(entries)
    }

    /// Takes back what a set-up had done when it was cut off. Emptying a simulator's keychain would take more along
    /// than we put in, so those wait for somebody to ask.
    ///
    /// - Returns: what was taken back, and what waits.
    public func recover() throws(SetupFailure) -> (undone: [String], waiting: [String]) {
        var entries = try journal.entries()
        var undone: [String] = []
        var waiting: [String] = []
        for index in entries.indices.reversed() where !entries[index].isWhole {
            let (exact, others) = (entries[index].steps.filter(\.isExact), entries[index].steps.filter { !$0.isExact })
            undone += try undo(exact)
            waiting += others.map(\.title)
            entries[index] = SetupJournal.Entry(isWhole: true, steps: others)
            try journal.write(entries.filter { !$0.steps.isEmpty })
        }
        return (undone, waiting)
    }

    /// Takes back everything of a kind.
    ///
    /// - Returns: what was taken back.
    public func undo(_ kinds: Set<Kind>) throws(SetupFailure) -> [String] {
        var entries = try journal.entries()
        var undone: [String] = []
        for index in entries.indices.reversed() {
            for step in entries[index].steps.reversed() where kinds.contains(step.kind) {
                undone += try undo([step])
                entries[index].steps.removeAll { $0 == step }
                try journal.write(entries.filter { !$0.steps.isEmpty })
            }
        }
        return undone
    }

    /// Newest first. What somebody has changed since is left as it is.
    private func undo(_ steps: [SetupStep]) throws(SetupFailure) -> [String] {
        var undone: [String] = []
        for step in steps.reversed() where isInForce(step) {
            for command in step.undoing { try run(command) }
            undone.append(step.title)
        }
        return undone
    }

    private func isInForce(_ step: SetupStep) -> Bool {
        if case .keychain(let certificate, _) = step { return isTrusted(certificate) }
        guard case .proxy(let service, let kind, let before, let now) = step,
            let current = ProxySetting(runner.run(ProxySetting.question(kind, of: service)).output)
        else { return true }
        // Turned off, its server may still be told; and taking it back may have been cut off itself.
        if !now.isOn { return !current.isOn }
        return current == now || !before.server.isEmpty && current.server == before.server && current != before
    }

    func run(_ command: [String]) throws(SetupFailure) {
        let outcome = runner.run(command)
        guard outcome.status == 0 else { throw .command(command, reason: outcome.reason) }
    }

    /// The output of a command that only asks.
    func ask(_ command: [String]) throws(SetupFailure) -> String {
        let outcome = runner.run(command)
        guard outcome.status == 0 else { throw .command(command, reason: outcome.reason) }
        return outcome.output
    }
}

extension SetupStep {
    var kind: Setup.Kind {
        switch self {
        case .proxy, .keychain: .mac
        case .simulator: .simulators
        }
    }
}
