public import ATSPolicy
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
        try change { $0.replacement = declaration }
        report(.inForce(declaration.source ?? "an unnamed dictionary"))
    }

    /// - Parameter body: called with each change from now on, on any thread.
    public func whenPolicyChanges(_ body: @escaping @Sendable (PolicyChange) -> Void) {
        state.withLock { $0.onChange.append(body) }
    }

    func report(_ change: PolicyChange) {
        for body in state.withLock({ $0.onChange }) { body(change) }
    }
}
