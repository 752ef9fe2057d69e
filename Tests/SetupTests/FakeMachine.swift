import Setup
import Synchronization

/// A fake machine: it answers commands, and remembers them and their effects.
protocol FakeMachine: CommandRunner {
    associatedtype State: Equatable & Sendable

    var memory: FakeMemory<State> { get }

    func answer(_ command: [String], _ input: String, _ state: inout State) -> CommandOutcome
}

final class FakeMemory<State: Equatable & Sendable>: Sendable {
    fileprivate let state: Mutex<State>
    fileprivate let heard = Mutex<[[String]]>([])
    fileprivate let afterChange: @Sendable (State) -> Void

    /// - Parameter afterChange: called after each command that changed something. A test can simulate a kill there.
    init(_ state: State, afterChange: @escaping @Sendable (State) -> Void) {
        self.state = Mutex(state)
        self.afterChange = afterChange
    }
}

extension FakeMachine {
    var now: State { memory.state.withLock { $0 } }

    /// Every command so far.
    var heard: [[String]] { memory.heard.withLock { $0 } }

    func change(_ body: (inout State) -> Void) { memory.state.withLock { body(&$0) } }

    func run(_ command: [String], input: String) -> CommandOutcome {
        memory.heard.withLock { $0.append(command) }
        let (outcome, changed) = memory.state.withLock { state -> (CommandOutcome, State?) in
            let before = state
            let outcome = answer(command, input, &state)
            return (outcome, state == before ? nil : state)
        }
        if let changed { memory.afterChange(changed) }
        return outcome
    }
}
