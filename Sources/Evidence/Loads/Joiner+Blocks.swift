/// Reads blocks of CFNETWORK_DIAGNOSTICS, which contain addresses but no task.
extension Joiner {
    mutating func takeBlock(_ block: Diagnostics, _ message: LogMessage) {
        let known = loads.recent.last {
            $0.kind == .diagnostics && !$0.isMerged && isSame($0.process, message.process)
                && $0.url?.text == block.url.text
                && !$0.isFinished
        }
        let load = known ?? new(.diagnostics, message)
        load.touch(message)
        load.take(block.url)
        loads.use(load)
        switch block.event {
        case .failed(let error):
            load.take(error, at: message.line)
            if known != nil { load.isFinished = true }
            if let task = failedTask(like: load, message) { return task.merge(load) }
        case .finished:
            load.isFinished = true
            load.summary = true
        case .answered:
            load.isAnswered = true
            load.answerLine = message.line
            return
        }
        if blocks.count >= blockLimit { blocks.removeAll() }
        blocks[message.thread] = Block(load: load, line: message.line)
    }

    /// The task with the same failure on the same thread, if exactly one exists.
    private func failedTask(like block: LoggedLoad, _ message: LogMessage) -> LoggedLoad? {
        guard message.thread != 0, block.code != nil else { return nil }
        let those = loads.recent.filter {
            $0.kind == .task && !$0.isMerged && isSame($0.process, message.process) && $0.code == block.code
                && $0.errorThread == message.thread && message.line - $0.errorLine <= blockReach && isOfHost(block, $0)
        }
        return those.count == 1 ? those[0] : nil
    }

    /// Joins a block to the task's line after it on the same thread, if both report the same end.
    mutating func joinBlock(to load: LoggedLoad, _ fact: TaskFact, _ message: LogMessage) {
        guard let block = blocks[message.thread], block.load !== load, isSame(block.load.process, message.process)
        else { return }
        guard message.line - block.line <= blockReach, !block.load.isMerged, !block.load.isHandedOut else {
            blocks[message.thread] = nil
            return
        }
        guard isEnd(fact, of: load, like: block.load, message.thread), isOfHost(block.load, load) else { return }
        blocks[message.thread] = nil
        load.merge(block.load)
    }

    /// True if both are the same kind of end: a failure with the same code, or a success. Without thread numbers a
    /// success may be that of any task.
    private func isEnd(_ fact: TaskFact, of load: LoggedLoad, like block: LoggedLoad, _ thread: Int) -> Bool {
        switch fact {
        case .failed, .summary(isSuccess: false, status: _, connection: _):
            block.summary != true && block.code != nil && load.code == block.code
        case .finished, .summary: block.summary == true && thread != 0
        case .mentioned, .ruling, .usesConnection, .answered, .refusedByPolicy, .delegate: false
        }
    }

    private func isOfHost(_ block: LoggedLoad, _ load: LoggedLoad) -> Bool {
        guard let host = load.url?.host ?? load.namedHost else { return true }
        return host == block.url?.host
    }
}

/// Threads whose last block is remembered.
private let blockLimit = 64
/// A task's line belongs to a block if it is at most this many lines after the block.
private let blockReach = 64
