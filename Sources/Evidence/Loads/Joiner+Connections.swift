/// Reads lines about connections.
extension Joiner {
    mutating func take(_ fact: ConnectionFact, ofConnection number: Int, _ message: LogMessage) {
        let connection = connections.connection(number, of: message)
        switch fact {
        case .mentioned: return
        case .startsTLS: connection.hasTLS = true
        case .endpoint(let endpoint):
            connection.endpoint = connection.endpoint.map { $0.host == nil ? endpoint : $0 } ?? endpoint
        case .connected(let tls): connection.tls = tls
        case .serverName(let name): connection.serverName = name
        case .asksForTrust: connections.beginEvaluating(connection)
        case .trustResult: connection.isEvaluating = false
        case .trustRefused(let judge, let code):
            connection.isEvaluating = false
            connection.trustJudge = connection.trustJudge == .system ? .system : judge
            connection.trustCode = code
            takeNotes(into: connection)
            fail(connection, message)
        case .brokeATS(let host):
            connection.brokeATS = true
            if let host, connection.host == nil { connection.serverName = host }
            fail(connection, message)
        case .failed(let domain, let code):
            connection.failure = (domain, code)
            connection.failureThread = message.thread
            takeNotes(into: connection)
            fail(connection, message)
        }
        connection.lines.add(message)
    }

    /// Makes a failure without a known task a load of its own, until a task claims it.
    private mutating func fail(_ connection: Connection, _ message: LogMessage) {
        if let orphan = connection.orphan {
            orphan.touch(message)
            return
        }
        guard connection.users == 0 else { return }
        let orphan = LoggedLoad(.connection, at: message)
        orphan.connection = connection
        connection.orphan = orphan
        loads.add(orphan)
    }

    /// Joins a failed connection with the codes of a task's error to the task, if exactly one exists.
    mutating func joinFailure(for load: LoggedLoad, thread: Int) {
        guard load.connection == nil, !load.hasLikelyConnection, load.code != nil || load.streamCode != nil else {
            return claimStream(for: load)
        }
        let failed = loads.recent.filter { other in
            guard other.kind == .connection, !other.isMerged, isSame(other.process, load.process) else { return false }
            return other !== load && fits(other.connection, load)
        }
        claimConnection(among: failed, for: load, thread)
        claimStream(for: load)
    }

    /// Chooses a connection with the load's own host or thread if several fit; else the first, unless they disagree
    /// about ATS.
    private mutating func claimConnection(among failed: [LoggedLoad], for load: LoggedLoad, _ thread: Int) {
        let host = load.url?.host
        let named = failed.filter { host != nil && $0.connection?.host == host }
        let own = failed.filter { thread != 0 && $0.connection?.failureThread == thread }
        let those = !named.isEmpty ? named : own.isEmpty ? failed : own
        guard let first = those.first else { return }
        guard those.allSatisfy({ $0.connection?.isRefusedByPolicy == first.connection?.isRefusedByPolicy }) else {
            unjoined += 1
            return
        }
        let isSure = !named.isEmpty || areOfOneHost(those, \.connection?.host)
        first.connection?.users += 1
        first.connection?.orphan = nil
        claim(first, of: those, for: load, isSure: isSure)
    }

    /// Joins one of several loads that fit. Its address is joined only if all of them have the same; otherwise the case
    /// is counted as unjoined.
    mutating func claim(_ claimed: LoggedLoad, of those: [LoggedLoad], for load: LoggedLoad, isSure: Bool) {
        if isSure { return load.merge(claimed) }
        for other in those { other.isAmbiguous = true }
        unjoined += 1
        load.mergeUnsure(claimed)
    }

    /// True if the loads have one host, and none is left over from an earlier ambiguous match.
    func areOfOneHost(_ those: [LoggedLoad], _ host: (LoggedLoad) -> String?) -> Bool {
        Set(those.map(host)).count == 1 && !those.contains(where: \.isAmbiguous)
    }

    private func fits(_ connection: Connection?, _ load: LoggedLoad) -> Bool {
        guard let connection else { return false }
        guard let streamCode = load.streamCode else { return false }
        let codes = [connection.failure?.code, connection.trustCode].compactMap { $0 }
        if codes.isEmpty { return connection.brokeATS && load.code == -1200 }
        return codes.contains(streamCode)
    }

    /// `NSURLSession/NSURLConnection HTTP load failed (…, -9813)` before a task's line with that number.
    private mutating func claimStream(for load: LoggedLoad) {
        guard load.task != nil, !load.hasStreamLine, let code = load.streamCode else { return }
        for other in loads.recent where !other.isMerged && other !== load && isSame(other.process, load.process) {
            guard other.kind == .stream || other.kind == .handshake, other.streamCode == code else { continue }
            load.merge(other)
            if other.kind == .stream { break }
        }
    }

    // MARK: - Notes on trust

    mutating func takeNotes(into connection: Connection) {
        forgetNotes(at: connection.lastLine)
        let own = notes.filter { isSame($0.process, connection.process) }
        guard !own.isEmpty else { return }
        for note in own {
            if note.isRefusal { connection.brokeATS = true }
            connection.systemTrust = note.systemTrust ?? connection.systemTrust
            connection.lines.add(note.message)
        }
        notes.removeAll { isSame($0.process, connection.process) }
    }

    /// Joins notes to a task whose connection is not named.
    mutating func joinNotes(for load: LoggedLoad) {
        guard load.code.map({ (-1204 ... -1200).contains($0) }) ?? true else { return }
        forgetNotes(at: load.lastLine)
        let own = notes.filter { isSame($0.process, load.process) }
        guard !own.isEmpty else { return }
        for note in own {
            if note.isRefusal || (note.systemTrust ?? 0) != 0 { load.hasTrustRefusal = true }
            load.systemTrust = note.systemTrust ?? load.systemTrust
            load.lines.add(note.message)
        }
        notes.removeAll { isSame($0.process, load.process) }
    }

    /// Drops notes that are too old to belong to the lines that follow.
    mutating func forgetNotes(at line: Int) {
        let count = notes.count
        notes.removeAll { line - $0.line > ConnectionTable.trustReach }
        unjoined += count - notes.count
    }
}
