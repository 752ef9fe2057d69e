public import ATSPolicy
import Dispatch
public import NetLoop
import Synchronization
public import TLSEngine

/// Sends loads through a proxy like an app: each on its own connection, over TLS with the app's offer. Sends no request
/// to a server with an untrusted certificate.
public final class LabClient: Sendable {
    let proxyPort: Int
    let trust: TrustStore
    let tls: OriginTLSContext
    let dialer = Dialer()
    private let outcomes = Mutex<[LabLoad.Outcome]>([])

    /// - Parameters:
    ///   - proxyPort: on 127.0.0.1.
    ///   - trust: the certificates that the app trusts, usually those of the proxy's CA.
    ///   - offer: the offer in the app's hello.
    public init(proxyPort: Int, trust: TrustStore, offer: TLSOffer) throws(TLSSetupError) {
        self.proxyPort = proxyPort
        self.trust = trust
        tls = try OriginTLSContext(offer: offer)
    }

    /// Sends all loads, eight at a time, and waits until the last one has ended. Blocks: do not call it on a loop, or
    /// on two threads at the same time.
    ///
    /// - Parameter deadline: for each load.
    /// - Returns: the outcome of each, in the order of `loads`.
    /// - Throws: ``NetError`` if the system has no descriptors left.
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

/// The loads that wait, and the outcomes of the others.
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
