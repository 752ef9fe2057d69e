/// Changes this machine, and undoes the changes: every step is written to the journal before it is made.
public struct Setup: Sendable {
    let runner: any CommandRunner
    let journal: SetupJournal
    /// Reports the steps without making or journaling them.
    public var isDryRun = false
    /// Keeps a tunnel's keys when the tunnel is undone.
    public var keepsKeys = false
    /// Contents of files that the journal must not contain, by file name.
    var secrets: [String: String] = [:]

    public init(runner: any CommandRunner, journal: SetupJournal) {
        self.runner = runner
        self.journal = journal
    }

    /// The part of the machine that steps belong to.
    ///
    /// Raw values are stored: never rename one.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case mac, simulators, gateway, wireguard
    }

    /// Makes all steps, or none.
    func make(_ steps: [SetupStep]) throws(SetupFailure) {
        guard !isDryRun else { return }
        var entries = try journal.entries()
        entries.append(SetupJournal.Entry(isWhole: false, steps: []))
        let place = entries.count - 1
        for step in steps {
            entries[place].steps.append(step)
            try journal.write(entries)
            do {
                try perform(step)
            } catch {
                try rollBack(on: step, in: &entries)
                throw error
            }
        }
        entries[place].isWhole = true
        // Steps of aborted entries that are in use again must no longer be undone.
        for index in 0..<place where !entries[index].isWhole { entries[index].steps.removeAll(where: steps.contains) }
        try write(entries)
    }

    private func perform(_ step: SetupStep) throws(SetupFailure) {
        try needWindow(for: step)
        switch step {
        case .keys(let folder, let names):
            try KeyFolder(path: folder).write(secrets.filter { names.contains($0.key) })
        case .tunnel(let tunnel): try TunnelSetup(self).make(tunnel)
        case .proxy, .simulator, .keychain, .kernel, .gateway, .tunnelRules:
            for command in step.commands { try run(command, input: step.input) }
        }
    }

    /// Changing the user's trusted certificates opens a window, and without one waits without end (actions/runner-images
    /// issue 12116). The session of the desktop is `Aqua` (launchctl(1)).
    private func needWindow(for step: SetupStep) throws(SetupFailure) {
        guard case .keychain = step else { return }
        let outcome = runner.run(["launchctl", "managername"])
        guard outcome.status != 0 || outcome.output.hasPrefix("Aqua") else { throw .noWindow }
    }

    /// Undoes the newest entry, because one of its steps failed.
    private func rollBack(on step: SetupStep, in entries: inout [SetupJournal.Entry]) throws(SetupFailure) {
        guard var entry = entries.popLast() else { return }
        let result = undo(entry.steps, beside: entries)
        // Steps that cannot be undone now stay unfinished: the next start reports them and tries again.
        entry.steps = result.waiting.filter { $0 != step || result.failure != nil }
        entries.append(entry)
        try write(entries)
    }

    private func write(_ entries: [SetupJournal.Entry]) throws(SetupFailure) {
        try journal.write(entries.filter { !$0.steps.isEmpty })
    }

    /// Undoes a setup that was aborted.
    ///
    /// - Returns: the undone steps, and those that wait for the next start or for a command, because they cannot be
    ///   undone automatically.
    /// - Throws: the first failure, after everything was tried.
    @discardableResult
    public func recover() throws(SetupFailure) -> (undone: [UndoneChange], waiting: [String]) {
        guard !isDryRun else { return ([], []) }
        var entries = try journal.entries()
        var (undone, waiting): ([UndoneChange], [String]) = ([], [])
        var failure: SetupFailure?
        for index in entries.indices.reversed() where !entries[index].isWhole {
            let result = undo(entries[index].steps, beside: entries)
            undone += result.undone
            waiting += result.waiting.map(\.title)
            failure = failure ?? result.failure
            entries[index].steps = result.waiting
            try write(entries)
        }
        if let failure { throw failure }
        return (undone, waiting)
    }

    /// Undoes all steps of these kinds.
    ///
    /// - Parameter emptiesKeychains: resets a simulator's whole keychain if the CA cannot be removed alone.
    /// - Returns: the undone steps, and those that could not be undone.
    /// - Throws: the first failure, after everything was tried; failed steps stay in the journal.
    public func undo(
        _ kinds: Set<Kind>, emptiesKeychains: Bool = false
    ) throws(SetupFailure) -> (undone: [UndoneChange], waiting: [String]) {
        var entries = try journal.entries()
        var (undone, waiting): ([UndoneChange], [String]) = ([], [])
        var failure: SetupFailure?
        for index in entries.indices.reversed() {
            for place in entries[index].steps.indices.reversed() where kinds.contains(entries[index].steps[place].kind)
            {
                let step = entries[index].steps.remove(at: place)
                do throws(SetupFailure) {
                    var titles = try undo(step, keeping: entries.flatMap(\.steps), sweepsClones: true)
                    if titles == nil, emptiesKeychains { titles = try undoByCommands(step) }
                    if let titles {
                        // Includes keys that were kept before.
                        if case .keys(let folder, _) = step, !keepsKeys { try KeyFolder(path: folder).removeAll() }
                        undone += titles.map { UndoneChange(title: $0, kind: step.kind) }
                        try write(entries)
                        continue
                    }
                    waiting.append(step.title)
                } catch {
                    failure = failure ?? error
                }
                entries[index].steps.insert(step, at: place)
            }
        }
        if let failure { throw failure }
        return (undone, waiting)
    }

    /// Undoes a step with its commands. For a simulator, this is the last resort.
    private func undoByCommands(_ step: SetupStep) throws(SetupFailure) -> [String] {
        try needWindow(for: step)
        for command in step.undoing { try run(command) }
        if case .tunnel(let tunnel) = step { TunnelSetup(self).awaitEnd(of: tunnel) }
        return [step.title]
    }

    /// Undoes steps, newest first, and continues after failures.
    ///
    /// - Parameter entries: the journal; steps in its complete entries are kept.
    /// - Returns: the undone steps, the remaining ones, and the first failure.
    private func undo(
        _ steps: [SetupStep], beside entries: [SetupJournal.Entry]
    ) -> (undone: [UndoneChange], waiting: [SetupStep], failure: SetupFailure?) {
        let kept = entries.filter(\.isWhole).flatMap(\.steps)
        // The original of a simulator's clone is not known.
        let sweepsClones = !kept.contains { $0.kind == .simulators }
        var (undone, waiting): ([UndoneChange], [SetupStep]) = ([], [])
        var failure: SetupFailure?
        for step in steps.reversed() {
            do throws(SetupFailure) {
                if let titles = try undo(step, keeping: kept, sweepsClones: sweepsClones) {
                    undone += titles.map { UndoneChange(title: $0, kind: step.kind) }
                    continue
                }
            } catch {
                failure = failure ?? error
            }
            waiting.insert(step, at: 0)
        }
        return (undone, waiting, failure)
    }

    /// Undoes one step, unless something else has changed the setting since.
    ///
    /// - Returns: the undone changes; nil if undoing is impossible or the state is unknown.
    private func undo(
        _ step: SetupStep, keeping kept: [SetupStep], sweepsClones: Bool
    ) throws(SetupFailure) -> [String]? {
        if case .kernel(let setting, _) = step, kept.contains(where: { $0.setting?.name == setting.name }) { return [] }
        if case .keys(let folder, let names) = step {
            if keepsKeys { return [] }
            try KeyFolder(path: folder).remove(names)
        }
        guard case .simulator(let udid, _, let set, _, let sha256) = step else {
            return try isInForce(step) ? try undoByCommands(step) : []
        }
        let named = Set(kept.compactMap { $0.udid(trusting: sha256) })
        guard !named.contains(udid) else { return [] }
        return try removeCertificate(udid, of: set, sha256: sha256, keeping: sweepsClones ? named : nil)
    }

    /// - Throws: ``SetupFailure/foreignTable(_:)`` for rules that atsgate did not create and must not delete.
    func isInForce(_ step: SetupStep) throws(SetupFailure) -> Bool {
        switch step {
        case .keychain(let certificate, _): return isTrusted(certificate)
        case .kernel(let setting, _): return kernelSettings.value(of: setting.name) == setting.now
        case .gateway, .tunnelRules: return try packets(of: step) != .absent
        case .tunnel(let tunnel): return try TunnelSetup(self).exists(tunnel)
        case .simulator, .keys: return true
        case .proxy(let service, let kind, let before, let now):
            guard let current = ProxySetting(runner.run(ProxySetting.question(kind, of: service)).output) else {
                return true
            }
            // A proxy that is off may still have a server, and an earlier undo may have been aborted.
            if !now.isOn { return !current.isOn }
            return current == now || !before.server.isEmpty && current.server == before.server && current != before
        }
    }

    func run(_ command: [String], input: String = "") throws(SetupFailure) {
        let outcome = runner.run(command, input: input)
        guard outcome.status == 0 else { throw failure(of: command, outcome) }
    }

    /// Returns the output of a command that changes nothing.
    func ask(_ command: [String], input: String = "") throws(SetupFailure) -> String {
        let outcome = runner.run(command, input: input)
        guard outcome.status == 0 else { throw failure(of: command, outcome) }
        return outcome.output
    }

    private func failure(of command: [String], _ outcome: CommandOutcome) -> SetupFailure {
        if outcome.status == 127, let program = command.first, let package = NetworkTools.packages[program] {
            return .missing(program, package: package)
        }
        return .command(command, reason: outcome.reason)
    }
}

extension SetupStep {
    var kind: Setup.Kind {
        switch self {
        case .proxy, .keychain: .mac
        case .simulator: .simulators
        case .kernel(_, let kind): kind
        case .gateway: .gateway
        case .keys, .tunnelRules, .tunnel: .wireguard
        }
    }

    var setting: KernelSetting? {
        if case .kernel(let setting, _) = self { setting } else { nil }
    }
}
