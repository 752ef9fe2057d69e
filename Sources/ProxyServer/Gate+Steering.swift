public import ATSPolicy
import Logging
import ProxyCore
import Synchronization

/// The result of reading a policy while the gate runs.
public enum PolicyChange: Sendable, Hashable {
    /// It is in force now. The value is its name.
    case inForce(String)
    /// It was rejected for this reason; the old policy stays in force.
    case kept(String)
}

/// Control of a running gate, for the live page.
extension Gate {
    /// The dictionary in force.
    public var declaration: Declaration { state.withLock { $0.inForce.judge.declaration } }

    /// True if the dictionary in force was set while the gate ran, and is not that of the policy file.
    public var isReplaced: Bool { state.withLock { $0.source.replacement != nil } }

    /// The release for clients whose release is unknown.
    public var usualProfile: OSProfile { state.withLock { $0.inForce.judge.system } }

    /// The recording that loads are filed under.
    public var recording: String { state.withLock { $0.source.recording } }

    /// Files loads that begin from now on under another recording.
    ///
    /// - Throws: ``GateError`` if files cannot be read again; the old name then stays.
    public func startRecording(_ name: String) throws(GateError) {
        try change(keepsDeclaration: true) { $0.recording = name }
    }

    /// Enforces another dictionary until the policy file changes or a reload is requested.
    ///
    /// - Throws: ``GateError`` if other files cannot be read again; the old policy then stays in force.
    public func enforce(_ declaration: Declaration) throws(GateError) {
        try change {
            $0.replacement = declaration
        } reportedAs: { result in
            if case .success = result { .inForce(declaration.source ?? "an unnamed dictionary") } else { nil }
        }
    }

    /// Reads policy, roots and logs again. If a file is broken, logs that and keeps the old policy.
    public func reload() {
        reload { $0.replacement = nil }
    }

    /// Enforces a dictionary that does not come from a file, and reads the files again.
    ///
    /// - Parameter declaration: the dictionary. If it is an error, this logs it and keeps the old policy.
    public func reload(_ declaration: Result<Declaration, DeclarationError>) {
        switch declaration {
        case .success(let declaration):
            reload {
                $0.standing = declaration
                $0.replacement = nil
            }
        case .failure(let error):
            state.withLock { $0.unreported.append(kept(.policy(error))) }
            report()
        }
    }

    private func reload(_ edit: (inout PolicySource) -> Void) {
        // The error is reported as the result.
        try? change(edit) { result in
            switch result {
            case .success(let name):
                log.notice("policy reloaded", metadata: ["policy": "\(name)"])
                return .inForce(name)
            case .failure(let error): return kept(error)
            }
        }
    }

    private func kept(_ error: GateError) -> PolicyChange {
        log.error("reload failed, the old policy stays in force: \(error.sentence)")
        return .kept(error.sentence)
    }

    /// - Parameter body: called with each change from now on, in the order of the changes, on any thread. It may change the
    ///   policy itself; then that change is reported next.
    public func whenPolicyChanges(_ body: @escaping @Sendable (PolicyChange) -> Void) {
        state.withLock { $0.onChange.append(body) }
    }

    /// Calls the observers with every change that they have not seen. If another thread is doing that, it continues with
    /// those changes.
    func report() {
        guard state.withLock({ $0.beginReporting() }) else { return }
        while let (change, observers) = state.withLock({ $0.takeUnreported() }) {
            for observer in observers { observer(change) }
        }
    }
}

extension Gate.State {
    /// - Returns: false if another thread calls the observers.
    fileprivate mutating func beginReporting() -> Bool {
        defer { isReporting = true }
        return !isReporting
    }

    /// The oldest change that was not reported; nil ends the reporting.
    fileprivate mutating func takeUnreported() -> (PolicyChange, [@Sendable (PolicyChange) -> Void])? {
        isReporting = !unreported.isEmpty
        return isReporting ? (unreported.removeFirst(), onChange) : nil
    }
}
