public import ATSPolicy
import Dispatch
public import NetLoop
import Synchronization
public import TLSEngine

/// Sends loads through a proxy, as an app does: each by a connection of its own, over TLS with what an app offers, and
/// no request to a server whose certificate it does not believe.
public final class LabClient: Sendable {
    let proxyPort: Int
    let trust: TrustStore
    let tls: OriginTLSContext
    let dialer = Dialer()
    private let outcomes = Mutex<[LabLoad.Outcome]>([])

    /// - Parameters:
    ///   - proxyPort: of 127.0.0.1.
    ///   - trust: which certificates the app believes: those of the proxy's CA, as a rule.
    ///   - offer: the app's hello.
    public init(proxyPort: Int, trust: TrustStore, offer: TLSOffer) throws(TLSSetupError) {
        self.proxyPort = proxyPort
        self.trust = trust
        tls = try OriginTLSContext(offer: offer)
    }

    /// Sends all loads, eight at a time, and waits until the last one has ended. Blocks: not for loops, nor for two
    /// threads at once.
    ///
    /// - Parameter deadline: for each load.
    /// - Returns: what became of each, in the order of `loads`.
    /// - Throws: ``NetError`` when the system grants no descriptors.
    public func send(_ loads: [LabLoad], deadline: Duration = .seconds(10)) throws(NetError) -> [LabLoad.Outcome] {
        let loop = try EventLoop(index: 0)
        defer { loop.stop() }
        let done = DispatchSemaphore(value: 0)
        loop.submit { loop in
            let queue = LoadQueue(loads, of: self, deadline: deadline) { outcomes in
                self.outcomes.withLock { $0 = outcomes }
                done.signal()
            }
            queue.start(on: loop)
        }
        done.wait()
        return outcomes.withLock { $0 }
    }
}

/// Loads that wait for their turn, and what became of the others.
private final class LoadQueue {
    private let loads: [LabLoad]
    private let client: LabClient
    private let deadline: Duration
    private let done: ([LabLoad.Outcome]) -> Void
    private var outcomes: [LabLoad.Outcome?]
    private var next = 0
    private var ended = 0
    private var underWay: [Int: LoadConnection] = [:]

    init(
        _ loads: [LabLoad], of client: LabClient, deadline: Duration, done: @escaping ([LabLoad.Outcome]) -> Void
    ) {
        self.loads = loads
        self.client = client
        self.deadline = deadline
        self.done = done
        outcomes = loads.map { _ in nil }
    }

    func start(on loop: isolated EventLoop) {
        guard !loads.isEmpty else { return done([]) }
        for _ in 0..<Self.atATime { sendNext(on: loop) }
    }

    private func sendNext(on loop: isolated EventLoop) {
        guard next < loads.count else { return }
        let index = next
        next += 1
        let connection = LoadConnection(loads[index], of: client) { outcome in
            self.underWay[index] = nil
            self.outcomes[index] = outcome
            self.ended += 1
            guard self.ended < self.loads.count else { return self.done(self.outcomes.compactMap(\.self)) }
            self.sendNext(on: loop)
        }
        underWay[index] = connection
        connection.open(deadline: deadline, on: loop)
    }

    private static let atATime = 8
}
