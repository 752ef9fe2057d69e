public import ATSPolicy
import ProxyCore
import Synchronization

/// What became of a policy that was read while the gate runs.
public enum PolicyChange: Sendable, Hashable {
    /// It is in force now; what it is called.
    case inForce(String)
    /// It was refused, and why: what was in force stays.
    case kept(String)
}

/// What a page asks of a running gate.
extension Gate {
    /// The dictionary in force.
    public var declaration: Declaration { inForce.withLock { $0.judge.declaration } }

    /// The dictionary in force was handed in while the gate ran, and is not that of the policy file.
    public var isReplaced: Bool { policyLoader.replacement != nil }

    /// What loads are judged by that tell nothing of their system.
    public var usualProfile: OSProfile { inForce.withLock { $0.judge.system } }

    /// Name of the recording that loads are filed under.
    public var recording: String { policyLoader.recording }

    /// Files loads that begin from now on under another name.
    ///
    /// - Throws: ``GateError`` where files can not be read again; the old name stays then.
    public func startRecording(_ name: String) throws(GateError) {
        let failure: GateError? = reloads.withLock { _ in
            let old = policyLoader.recording
            policyLoader.recording = name
            do throws(GateError) {
                apply(try policyLoader.load(declaration: declaration))
                return nil
            } catch {
                policyLoader.recording = old
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Enforces another dictionary, until the policy file changes or a reload is asked for.
    ///
    /// - Throws: ``GateError`` where other files can not be read again; what was in force stays then.
    public func enforce(_ declaration: Declaration) throws(GateError) {
        let failure: GateError? = reloads.withLock { _ in
            let old = policyLoader.replacement
            policyLoader.replacement = declaration
            do throws(GateError) {
                apply(try policyLoader.load())
                return nil
            } catch {
                policyLoader.replacement = old
                return error
            }
        }
        if let failure { throw failure }
        tell(.inForce(declaration.source ?? "a dictionary that was handed in"))
    }

    /// - Parameter body: called with each change from now on, on any thread.
    public func whenPolicyChanges(_ body: @escaping @Sendable (PolicyChange) -> Void) {
        onPolicyChange.withLock { $0.append(body) }
    }

    func tell(_ change: PolicyChange) {
        for body in onPolicyChange.withLock({ $0 }) { body(change) }
    }
}
