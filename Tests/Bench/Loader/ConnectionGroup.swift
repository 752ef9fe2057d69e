import NetLoop

/// The connections of one loop, and their results.
final class ConnectionGroup {
    let dialer = Dialer()
    private(set) var figures = Figures()
    private let plan: Plan
    private let done: (Figures) -> Void
    private var clients: [ObjectIdentifier: Client] = [:]
    /// The connections that are not started yet.
    private var waiting: Int
    private var opening = 0
    private var ready: [Client] = []
    /// The number of started scripts.
    private var turns = 0
    private var began: Int64?
    private var isOver = false
    /// True when the time is up and only loads in flight continue.
    private var isEnding = false
    private var seconds = 0.0
    private var alarm: LoopTimer?
    private var pause: LoopTimer?

    /// - Parameters:
    ///   - count: the number of connections of this group.
    ///   - done: receives the figures once, on the loop.
    init(_ plan: Plan, count: Int, done: @escaping (Figures) -> Void) {
        self.plan = plan
        self.done = done
        waiting = count
    }

    /// - Parameter seconds: the time limit for opening connections, and again for loads.
    func start(seconds: Double, on loop: isolated EventLoop) {
        self.seconds = seconds
        let alarm = LoopTimer { [weak self] in self?.end(on: loop) }
        self.alarm = alarm
        switch plan.manner {
        case .keepAlive, .hold: alarm.arm(after: .seconds(Self.patienceSeconds), on: loop)
        case .fresh, .each, .once, .first: startClock(on: loop)
        }
        openMore(on: loop)
    }

    /// Notes that a connection is open.
    func stands(_ client: Client, on loop: isolated EventLoop) {
        opening -= 1
        switch plan.manner {
        case .fresh, .each, .once, .first, .hold(asks: true): client.ask(on: loop)
        case .keepAlive where began == nil: ready.append(client)
        case .keepAlive: client.ask(on: loop)
        case .hold: hold(client)
        }
        openMore(on: loop)
        beginWhenReady(on: loop)
    }

    /// Notes a complete answer.
    func answered(_ client: Client, _ answer: Answer, on loop: isolated EventLoop) {
        guard !isOver else { return }
        figures.bodyBytes += answer.bodyBytes + client.script.uploadBytes
        if answer.status == 200, client.script.talk.expectedBytes.map({ $0 == answer.bodyBytes }) ?? true {
            figures.requests += 1
            figures.microseconds.append(UInt32(clamping: answer.nanoseconds / 1_000))
        } else {
            figures.bad += 1
            note("status \(answer.status) with \(answer.bodyBytes) bytes")
        }
        if let limit = plan.loads, figures.requests >= limit { return finish(on: loop) }
        if isEnding { return leave(client, on: loop) }
        switch plan.manner {
        case .keepAlive where answer.isPersistent: client.ask(after: plan.pause, on: loop)
        case .keepAlive, .fresh, .each:
            drop(client, on: loop)
            open(on: loop)
        case .once, .first: finish(on: loop)
        case .hold:
            hold(client)
            beginWhenReady(on: loop)
        }
    }

    /// Notes a lost connection.
    func failed(_ client: Client, _ words: String, wasStanding: Bool, on loop: isolated EventLoop) {
        let wasAsking = client.isAsking
        drop(client, on: loop)
        guard !isOver || plan.manner.isHolding else { return }
        if wasAsking { figures.lost += 1 }
        if !wasStanding { opening -= 1 }
        if plan.manner == .first { return retry(on: loop) }
        figures.errors += 1
        note(words)
        if isEnding { return leave(client, on: loop) }
        switch plan.manner {
        case .hold where client.isHeld: figures.held -= 1
        case .once: finish(on: loop)
        case .keepAlive, .fresh, .each, .first, .hold:
            if figures.errors >= Self.errorLimit { return finish(on: loop) }
            if !plan.manner.isHolding, began != nil { open(on: loop) }
        }
        openMore(on: loop)
        beginWhenReady(on: loop)
    }

    private func hold(_ client: Client) {
        client.isHeld = true
        figures.held += 1
    }

    private func openMore(on loop: isolated EventLoop) {
        while waiting > 0, opening < Self.openingAtATime {
            waiting -= 1
            open(on: loop)
        }
    }

    private func open(on loop: isolated EventLoop) {
        guard !isOver else { return }
        guard plan.manner != .each || turns < plan.scripts.count else {
            if clients.isEmpty { finish(on: loop) }
            return
        }
        opening += 1
        let client = Client(self, plan.scripts[turns % plan.scripts.count])
        turns += 1
        clients[ObjectIdentifier(client)] = client
        client.open(on: loop)
    }

    /// Tries again, because no process listens yet.
    private func retry(on loop: isolated EventLoop) {
        let pause = LoopTimer { [weak self] in self?.open(on: loop) }
        self.pause = pause
        pause.arm(after: .milliseconds(1), on: loop)
    }

    private func drop(_ client: Client, on loop: isolated EventLoop) {
        clients[ObjectIdentifier(client)] = nil
        client.close(on: loop)
    }

    /// Starts the clock once every connection is open or has failed.
    private func beginWhenReady(on loop: isolated EventLoop) {
        guard began == nil, waiting == 0, opening == 0 else { return }
        if plan.manner.isHolding {
            if figures.held == clients.count { finish(on: loop) }
            return
        }
        guard !ready.isEmpty else { return finish(on: loop) }
        startClock(on: loop)
        let all = ready
        ready = []
        for client in all { client.ask(on: loop) }
    }

    private func startClock(on loop: isolated EventLoop) {
        began = EventLoop.monotonicNanoseconds()
        alarm?.arm(after: .milliseconds(Int64(seconds * 1_000)), on: loop)
    }

    /// Ends the run, because the time is up.
    private func end(on loop: isolated EventLoop) {
        guard plan.finishesLoads, !isEnding else { return finish(on: loop) }
        isEnding = true
        alarm?.arm(after: .seconds(Self.patienceSeconds), on: loop)
        for client in Array(clients.values) where !client.isAsking { leave(client, on: loop) }
    }

    private func leave(_ client: Client, on loop: isolated EventLoop) {
        drop(client, on: loop)
        if clients.isEmpty { finish(on: loop) }
    }

    private func finish(on loop: isolated EventLoop) {
        guard !isOver else { return }
        isOver = true
        alarm?.cancel()
        if let began { figures.seconds = Double(EventLoop.monotonicNanoseconds() - began) / 1e9 }
        if !plan.manner.isHolding {
            for client in Array(clients.values) {
                figures.bodyBytes += client.partialBytes
                drop(client, on: loop)
            }
        }
        done(figures)
    }

    private func note(_ words: String) {
        if figures.trouble == nil { figures.trouble = words }
    }

    /// Less than a typical backlog.
    private static let openingAtATime = 64
    private static let errorLimit = 1_000
    private static let patienceSeconds = 60
}
