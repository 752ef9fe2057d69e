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
    public var declaration: Declaration { inForce.withLock { $0.judge.declaration } }

    /// True if the dictionary in force was set while the gate ran, and is not that of the policy file.
    public var isReplaced: Bool { policyLoader.replacement != nil }

    /// The release for clients whose release is unknown.
    public var usualProfile: OSProfile { inForce.withLock { $0.judge.system } }

    /// The recording that loads are filed under.
    public var recording: String { policyLoader.recording }

    /// Files loads that begin from now on under another recording.
    ///
    /// - Throws: ``GateError`` if files cannot be read again; the old name then stays.
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

    /// Enforces another dictionary until the policy file changes or a reload is requested.
    ///
    /// - Throws: ``GateError`` if other files cannot be read again; the old policy then stays in force.
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
        report(.inForce(declaration.source ?? "an unnamed dictionary"))
    }

    /// - Parameter body: called with each change from now on, on any thread.
    public func whenPolicyChanges(_ body: @escaping @Sendable (PolicyChange) -> Void) {
        onPolicyChange.withLock { $0.append(body) }
    }

    func report(_ change: PolicyChange) {
        for body in onPolicyChange.withLock({ $0 }) { body(change) }
    }
}
