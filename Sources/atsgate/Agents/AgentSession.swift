import Agents
import Dispatch
import Foundation
import Synchronization

/// One client of `atsgate mcp`: reads its messages, runs tools, writes answers.
final class AgentSession: Sendable {
    private struct State {
        var server: AgentServer
        var processes: [RPCID: ToolProcess] = [:]
        /// True once the client cannot be written to.
        var isBroken = false
    }

    private let state: Mutex<State>
    private let tools: [CommandTool]
    private let folders: AllowedFolders
    private let limits: ToolProcess.Limits
    private let output: Output

    init(
        _ server: AgentServer, tools: [CommandTool], in folders: AllowedFolders, limits: ToolProcess.Limits,
        output: Output
    ) {
        state = Mutex(State(server: server))
        self.tools = tools
        self.folders = folders
        self.limits = limits
        self.output = output
    }

    /// Serves the client until it closes its side or cannot be written to. Stops tools that run then.
    func serve(_ descriptor: Int32) {
        var reader = LineReader(limit: Self.longestMessage)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !state.withLock(\.isBroken) {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            for line in reader.add(buffer.prefix(count)) {
                perform { server in
                    switch line {
                    case .line(let bytes): server.receive(bytes)
                    case .tooLong: [server.refusal(ofLineAbove: Self.longestMessage)]
                    }
                }
            }
        }
        for process in state.withLock({ $0.processes.values.map(\.self) }) { process.stop() }
    }

    /// Changes the server and executes its orders. Messages are written under the lock, in the order in which they
    /// arose. A client that does not read pauses the server.
    private func perform(_ change: (inout AgentServer) -> [AgentServer.Order]) {
        let others = state.withLock { state in
            change(&state.server).filter { order in
                guard case .send(let message) = order else { return true }
                do {
                    if !state.isBroken { try output.write(Array((message + "\n").utf8)) }
                } catch {
                    state.isBroken = true
                }
                return false
            }
        }
        for order in others {
            switch order {
            case .send: break
            case .stop(let id): state.withLock { $0.processes.removeValue(forKey: id) }?.stop()
            case .run(let id, let tool, let arguments): start(id, tool, arguments)
            }
        }
    }

    private func start(_ id: RPCID, _ name: String, _ arguments: [String: RPCValue]) {
        guard let tool = tools.first(where: { $0.name == name }) else { return }
        let words: [String]
        do throws(ToolArgumentFault) {
            words = try tool.words(for: arguments, in: folders)
        } catch {
            let answer = ToolAnswer(exitCode: nil, meaning: error.sentence, isError: true)
            return perform { $0.finished(id, answer) }
        }
        let process = ToolProcess(words, limits: limits)
        state.withLock { $0.processes[id] = process }
        // A separate thread, because it blocks.
        Thread.detachNewThread { [self] in
            let answer = process.run { lines in perform { $0.progressed(id, steps: lines) } }
            let isCurrent = state.withLock { state in
                guard state.processes[id] === process else { return false }
                state.processes[id] = nil
                return true
            }
            if isCurrent { perform { $0.finished(id, answer) } }
        }
    }

    /// In bytes. The longest call has a list of hosts or paths.
    private static let longestMessage = 1 << 20
}
