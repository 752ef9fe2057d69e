import ATSPolicy

extension LoggedLoad {
    /// The facts of the load, as they are delivered.
    func result(log: String, system: String?) -> EvidenceTask {
        var task = EvidenceTask(log: log, line: firstLine)
        task.time = time
        task.app = app
        task.system = system
        task.task = self.task?.name
        fillAddress(&task)
        task.outcome = outcome
        task.code = code
        task.domain = code == nil ? nil : codeDomain ?? "NSURLErrorDomain"
        task.streamCode = streamCode ?? (kind == .connection ? connection?.printedCode : nil)
        task.streamDomain = streamDomain ?? (task.streamCode == nil ? nil : connection?.failure?.domain)
        task.status = status
        task.lines = texts
        task.ruling = ruling
        task.systemTrust = systemTrust ?? connection?.systemTrust
        task.delegate = delegateAnswered
        task.tls = connection?.tls
        task.proxied = error?.issuer.flatMap { DecryptingProxy.named(byIssuer: $0) == nil ? nil : $0 }
        return task
    }

    /// Fills in the address from the system's own lines: the error's URL, the line about cleartext, the connection.
    private func fillAddress(_ task: inout EvidenceTask) {
        let named = hasTwoHosts ? nil : url?.host ?? namedHost ?? connection?.host
        task.host = named
        task.url = hasTwoHosts || url?.isCut == true ? nil : url?.text ?? connection?.endpoint?.url?.text
        task.scheme = url?.scheme ?? (hasCleartextLine ? "http" : nil) ?? connection?.scheme ?? likelyScheme
        if task.scheme == nil, streamDomain == streamDomainTLS, kind != .task { task.scheme = "https" }
        if task.scheme == nil, isRefusedByPolicy || code == policyCode { task.scheme = "http" }
        task.isRedacted = isRedacted || (named == nil && connection?.endpoint?.isRedacted == true)
    }

    /// Its lines, and those of its connection if no other load used that.
    private var texts: [String] {
        var all = lines
        if let connection, connection.users <= 1 { all.add(connection.lines) }
        return all.texts
    }

    // MARK: - Outcome

    private var outcome: EvidenceTask.Outcome {
        if isRefusedByPolicy || hasCleartextLine || code == policyCode || error?.statesPolicy == true {
            return .blocked
        }
        let hasFailed = code != nil || streamCode != nil || error != nil || summary == false || kind == .connection
        guard hasFailed else { return isAnswered || isFinished || summary == true ? .allowed : .unknown }
        // The app or the network ended the load after its answer, unless the error is that of a redirect's connection.
        if isAnswered, !isOfLaterHop { return .allowed }
        return isRefusedForTrust ? .blocked : .failed
    }

    /// True if the error concerns a connection and follows the answer: it belongs to a redirect.
    private var isOfLaterHop: Bool {
        guard errorLine > answerLine, let code else { return false }
        return [-1003, -1004, -1006].contains(code) || (-1206 ... -1200).contains(code)
    }

    /// True if a line reports a block by ATS or the system, and the codes fit such a block.
    private var isRefusedForTrust: Bool {
        let fits = code == nil || code == -1200 || code == -1202
        return fits && (hasTrustRefusal || connection?.isRefusedByPolicy == true)
    }
}

extension Connection {
    var printedCode: Int? { trustCode ?? failure?.code }
}
