/// Joins messages to loads: by the task's name, the connection's number, URL, thread and error code. Messages that
/// match no load, or more than one, are counted.
struct Joiner {
    var loads = LoadList()
    var connections = ConnectionTable()
    /// Notes on trust that name neither a connection nor a task.
    var notes: [TrustNote] = []
    /// The last block of diagnostics of each thread, for the task's line after it.
    var blocks: [Int: Block] = [:]
    /// Lines about loads that could not be joined to one.
    var unjoined = 0

    struct Block {
        let load: LoggedLoad
        let line: Int
    }

    struct TrustNote {
        let process: Int
        let line: Int
        let isRefusal: Bool
        let systemTrust: Int?
        let message: KeptLines
    }

    mutating func take(_ fact: Fact, _ message: LogMessage) {
        switch fact {
        case .task(let id, let fact): take(fact, of: id, message)
        case .connection(let number, let fact): take(fact, ofConnection: number, message)
        case .loose(let fact): take(fact, message)
        }
    }

    // MARK: - Tasks

    private mutating func take(_ fact: TaskFact, of id: TaskID, _ message: LogMessage) {
        guard let load = load(of: id, fact, message) else { return }
        load.touch(message)
        loads.use(load)
        if case .mentioned = fact {} else { load.lines.add(message) }
        switch fact {
        case .mentioned: break
        case .ruling(let ruling): load.ruling = load.ruling ?? ruling
        case .usesConnection(let number): join(load, number, message)
        case .answered(let status):
            load.isAnswered = true
            load.answerLine = message.line
            load.status = status ?? load.status
        case .finished: load.isFinished = true
        case .summary(let isSuccess, let status, let connection):
            load.summary = isSuccess
            if let status, status > 0 {
                load.status = status
                load.isAnswered = true
                if load.answerLine == 0 { load.answerLine = message.line }
            }
            if load.connection == nil, let connection { join(load, connection, message) }
        case .refusedByPolicy:
            load.isRefusedByPolicy = true
            claimCleartext(for: load)
        case .failed(let error): fail(load, error, message)
        case .delegate(let answered): load.delegateAnswered = load.delegateAnswered == true || answered
        }
        joinBlock(to: load, fact, message)
    }

    /// nil for a task that was delivered before.
    private mutating func load(of id: TaskID, _ fact: TaskFact, _ message: LogMessage) -> LoggedLoad? {
        if let known = loads.load(of: id) {
            if known.isFragment { known.isFragment = message.prefix == nil && isFragment(fact) }
            return known
        }
        guard !loads.noteLate(id) else { return nil }
        let new = LoggedLoad(.task, task: id, at: message)
        new.isFragment = message.prefix == nil && isFragment(fact)
        loads.add(new)
        return new
    }

    private func isFragment(_ fact: TaskFact) -> Bool {
        switch fact {
        case .mentioned: true
        case .failed(let error): error.isFragment
        case .ruling, .usesConnection, .answered, .finished, .summary, .refusedByPolicy, .delegate: false
        }
    }

    private mutating func join(_ load: LoggedLoad, _ number: Int, _ message: LogMessage) {
        let connection = connections.connection(number, of: message)
        guard load.connection !== connection else { return }
        load.connection = connection
        connection.users += 1
        if let orphan = connection.orphan {
            load.merge(orphan)
            connection.orphan = nil
        }
    }

    private mutating func fail(_ load: LoggedLoad, _ error: LoadError, _ message: LogMessage) {
        let isFirst = load.code == nil && load.streamCode == nil
        load.take(error, at: message.line)
        load.errorThread = message.thread
        guard isFirst || load.connection == nil else { return }
        if load.code == policyCode { claimCleartext(for: load) }
        joinFailure(for: load, thread: message.thread)
        joinNotes(for: load)
    }
}

/// NSURLErrorAppTransportSecurityRequiresSecureConnection of NSURLError.h.
let policyCode = -1022
