/// Reads lines that name neither a task nor a connection.
extension Joiner {
    mutating func take(_ fact: LooseFact, _ message: LogMessage) {
        switch fact {
        case .cleartextRefused(let host): refuseCleartext(host, message)
        case .systemTrust(let status): note(message, isRefusal: false, systemTrust: status)
        case .trustNote(let isRefusal): note(message, isRefusal: isRefusal, systemTrust: nil)
        case .streamFailed(let code, let isHandshake): failStream(code, isHandshake, message)
        case .loadFailed(let error): failLoad(error, message)
        case .connectionFinished(let code): finishConnection(code, message)
        case .error(let error): takeError(error, message)
        case .diagnostics(let block): takeBlock(block, message)
        }
    }

    mutating func new(_ kind: LoggedLoad.Kind, _ message: LogMessage) -> LoggedLoad {
        let load = LoggedLoad(kind, at: message)
        load.lines.add(message)
        loads.add(load)
        return load
    }

    // MARK: - Cleartext

    private mutating func refuseCleartext(_ host: String?, _ message: LogMessage) {
        // The line may also follow the task's own line.
        if let last = loads.recent.last, last.kind == .task, last.isRefusedByPolicy, !last.hasCleartextLine,
            isSame(last.process, message.process), host == nil || last.url?.host == host
        {
            last.hasCleartextLine = true
            last.lines.add(message)
            return last.touch(message)
        }
        let load = new(.cleartext, message)
        load.hasCleartextLine = true
        load.namedHost = host
    }

    /// Joins the line about cleartext to the next task that is blocked; if threads are printed, to the one on its own
    /// thread.
    mutating func claimCleartext(for load: LoggedLoad) {
        guard !load.hasCleartextLine else { return }
        let waiting = loads.recent.filter {
            $0.kind == .cleartext && !$0.isMerged && isSame($0.process, load.process)
                && ($0.namedHost == nil || load.url?.host == nil || $0.namedHost == load.url?.host)
        }
        let own = waiting.filter { load.thread != 0 && $0.thread == load.thread }
        let those = own.isEmpty ? waiting : own
        guard let claimed = those.first else { return }
        claim(claimed, of: those, for: load, isSure: load.url?.host != nil || areOfOneHost(those, \.namedHost))
    }

    // MARK: - Trust

    private mutating func note(_ message: LogMessage, isRefusal: Bool, systemTrust: Int?) {
        var kept = KeptLines()
        kept.add(message)
        if let connection = connections.evaluated(in: message.process, at: message.line) {
            if isRefusal { connection.brokeATS = true }
            connection.systemTrust = systemTrust ?? connection.systemTrust
            return connection.lines.add(kept)
        }
        // A successful evaluation is useless without its connection.
        if systemTrust == 0 {
            unjoined += 1
            return
        }
        forgetNotes(at: message.line)
        notes.append(
            TrustNote(
                process: message.process, line: message.line, isRefusal: isRefusal, systemTrust: systemTrust,
                message: kept))
        if notes.count > noteLimit {
            notes.removeFirst()
            unjoined += 1
        }
    }

    // MARK: - Failures by number

    private mutating func failStream(_ code: Int, _ isHandshake: Bool, _ message: LogMessage) {
        for other in loads.recent.reversed() where !other.isMerged && isSame(other.process, message.process) {
            // Up to iOS 9 one load tried several versions in a row.
            if other.kind == .handshake, other.streamCode == code {
                if !isHandshake { other.kind = .stream }
                other.lines.add(message)
                return other.touch(message)
            }
            if !isHandshake, other.kind == .task, other.streamCode == code, !other.hasStreamLine {
                other.hasStreamLine = true
                return other.lines.add(message)
            }
        }
        let load = new(isHandshake ? .handshake : .stream, message)
        load.streamCode = code
        load.streamDomain = streamDomainTLS
        load.hasStreamLine = !isHandshake
    }

    /// `HTTP load failed, 0/0 bytes (error code: -1003 [12:8])` without a task.
    private mutating func failLoad(_ error: LoadError, _ message: LogMessage) {
        let load = new(.error, message)
        load.take(error, at: message.line)
        joinFailure(for: load, thread: message.thread)
    }

    private mutating func finishConnection(_ code: Int, _ message: LogMessage) {
        for load in loads.recent where !load.isMerged && !load.hasTwin && isSame(load.process, message.process) {
            let isOwn = load.code == code || (load.code == nil && code == policyCode && load.isRefusedByPolicy)
            guard load.kind == .task, isOwn else { continue }
            load.hasTwin = true
            load.code = code
            load.lines.add(message)
            return load.touch(message)
        }
        let load = new(.error, message)
        load.code = code
        load.hasTwin = true
        load.errorLine = message.line
        if code == policyCode { claimCleartext(for: load) }
    }

    // MARK: - Errors as text

    /// Reads an error printed as text. If a load already has the same error, the app printed it again.
    private mutating func takeError(_ error: LoadError, _ message: LogMessage) {
        let twins = loads.recent.filter {
            !$0.isMerged && isSame($0.process, message.process) && isTwin(error, of: $0)
        }
        if !twins.isEmpty {
            guard let load = own(of: twins, error, message.thread) else {
                unjoined += 1
                return
            }
            if load.kind != .task || load.url == nil { load.take(error, at: message.line) }
            return load.touch(message)
        }
        guard error.code != nil || error.streamCode != nil else {
            unjoined += 1
            return
        }
        let load = new(.error, message)
        load.take(error, at: message.line)
        claimStream(before: load)
        load.isFragment = message.prefix == nil && error.isFragment
        if load.code == policyCode { claimCleartext(for: load) }
    }

    /// Joins the stream's own line to the error that follows it, if exactly one has its code and no task can claim it.
    private func claimStream(before load: LoggedLoad) {
        guard let code = load.streamCode, load.streamDomain == streamDomainTLS else { return }
        let those = loads.recent.filter {
            ($0.kind == .stream || $0.kind == .handshake) && !$0.isMerged && isSame($0.process, load.process)
                && $0.streamCode == code && load.firstLine - $0.lastLine <= streamReach
        }
        if those.count == 1 { load.merge(those[0]) }
    }

    /// Chooses among loads with the same error: the one of the thread that printed it, or one that already has the
    /// address. The newest may belong to another thread.
    private func own(of twins: [LoggedLoad], _ error: LoadError, _ thread: Int) -> LoggedLoad? {
        let own = twins.filter { thread != 0 && $0.errorThread == thread }
        let those = own.isEmpty ? twins : own
        return those.count == 1 ? those[0] : error.url.flatMap { _ in those.last { $0.url != nil } }
    }

    private func isTwin(_ error: LoadError, of load: LoggedLoad) -> Bool {
        if let code = error.code {
            guard load.code == code || (load.code == nil && code == policyCode && load.isRefusedByPolicy) else {
                return false
            }
            if let one = error.url, let other = load.url {
                guard
                    one.text == other.text
                        || one.host == other.host && (one.isCut || other.isCut || one.isRedacted || other.isRedacted)
                else { return false }
            }
            // Two loads of one address have separate errors.
            if load.kind == .error, let one = error.identity, let other = load.error?.identity { return one == other }
            return true
        }
        // A line of an error, shortened by a person.
        return load.kind == .error && load.url == nil
    }
}

/// Most lines between a stream's line and the error of the same load.
private let streamReach = 16
/// Limit of notes on trust that wait for their connection.
private let noteLimit = 16
