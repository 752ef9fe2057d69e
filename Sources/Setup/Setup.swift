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

    /// A step of the newest entry could not be made: what was made before goes too.
    private func giveUp(on step: SetupStep, in entries: inout [SetupJournal.Entry]) throws(SetupFailure) {
        guard var entry = entries.popLast() else { return }
        // Where even that fails, the journal keeps it for the next start.
        let undone = try undo(entry.steps)
        entry.steps = undone.waiting.filter { $0 != step }
        entry.isWhole = true
        if !entry.steps.isEmpty { entries.append(entry) }
        try journal.write(entries)
    }

    /// Takes back what a set-up had done when it was cut off.
    ///
    /// - Returns: what was taken back, and what waits for somebody to ask: what can not be taken back alone.
    public func recover() throws(SetupFailure) -> (undone: [String], waiting: [String]) {
        var entries = try journal.entries()
        var (undone, waiting): ([String], [String]) = ([], [])
        for index in entries.indices.reversed() where !entries[index].isWhole {
            let result = try undo(entries[index].steps)
            undone += result.undone
            waiting += result.waiting.map(\.title)
            entries[index] = SetupJournal.Entry(isWhole: true, steps: result.waiting)
            try journal.write(entries.filter { !$0.steps.isEmpty })
        }
        return (undone, waiting)
    }

    /// Takes back everything of a kind.
    ///
    /// - Parameter emptiesKeychains: where the CA can not be taken out of a simulator alone, its whole keychain goes.
    /// - Returns: what was taken back, and what could not be.
    public func undo(
        _ kinds: Set<Kind>, emptiesKeychains: Bool = false
    ) throws(SetupFailure) -> (undone: [String], waiting: [String]) {
        var entries = try journal.entries()
        var (undone, waiting): ([String], [String]) = ([], [])
        for index in entries.indices.reversed() {
            for step in entries[index].steps.reversed() where kinds.contains(step.kind) {
                var result = try undo([step])
                if emptiesKeychains, !result.waiting.isEmpty {
                    for command in step.undoing { try run(command) }
                    result = (undone: [step.title], waiting: [])
                }
                undone += result.undone
                waiting += result.waiting.map(\.title)
                guard result.waiting.isEmpty else { continue }
                entries[index].steps.removeAll { $0 == step }
                try journal.write(entries.filter { !$0.steps.isEmpty })
            }
        }
        return (undone, waiting)
    }

    /// Newest first. What somebody has changed since is left as it is.
    private func undo(_ steps: [SetupStep]) throws(SetupFailure) -> (undone: [String], waiting: [SetupStep]) {
        var (undone, waiting): ([String], [SetupStep]) = ([], [])
        for step in steps.reversed() {
            if case .simulator(let udid, _, _, _, let sha256) = step {
                if let sha256, let titles = try takeOut(udid, sha256: sha256) {
                    undone += titles
                } else {
                    waiting.append(step)
                }
            } else if isInForce(step) {
                for command in step.undoing { try run(command) }
                undone.append(step.title)
            }
        }
        return (undone, waiting)
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
