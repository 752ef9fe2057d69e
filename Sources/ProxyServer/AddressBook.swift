import NetLoop
import ProxyCore
public import Text

/// Names that this process gave out itself, by a DNS of its own.
public protocol AddressBook: Sendable {
    /// Whether a name was given out as leading to an address; nil for a name that was not given out. Called on event loops.
    func leads(_ name: String, to address: IPAddress) -> Bool?
}

/// Tells whether a name leads to an address: for comparison, never to dial what it says.
struct NameComparison: Sendable {
    let resolver: any NameResolving
    /// Asked first.
    let book: (any AddressBook)?

    /// - Parameters:
    ///   - client: the `ADDRESS:PORT` of the client that names it.
    ///   - completion: runs once, perhaps before this returns, and within ``limit``.
    func compare(
        _ name: String, with address: IPAddress, for client: String, on loop: isolated EventLoop,
        completion: @escaping (AddressMatch) -> Void
    ) {
        if let leads = book?.leads(name, to: address) { return completion(leads ? .leads : .elsewhere) }
        let waiting = WaitingComparison(address, completion)
        let own = LoopLocal<WaitingComparison>(loop)
        own.place(waiting, on: loop)
        let home: EventLoop = loop
        let reply = resolver.answer(for: name, from: Self.asker(client)) { answer in
            home.submit { loop in own.value(on: loop)?.settle(answer) }
        }
        switch reply {
        case .known(let answer): waiting.settle(answer)
        case .asked(let question):
            let timer = LoopTimer { [weak waiting] in
                question.abandon()
                waiting?.settle(nil)
            }
            timer.arm(after: Self.limit, on: loop)
            waiting.timer = timer
        }
    }

    /// The address in a client's `ADDRESS:PORT`: its lookups are counted together.
    static func asker(_ client: String) -> String {
        client.lastIndex(of: ":").map { String(client[..<$0]) } ?? client
    }

    /// A load waits for it.
    private static let limit = Duration.seconds(2)
}

/// A comparison whose name is being looked up.
private final class WaitingComparison {
    var timer: LoopTimer?
    private let address: IPAddress
    private var completion: ((AddressMatch) -> Void)?

    init(_ address: IPAddress, _ completion: @escaping (AddressMatch) -> Void) {
        self.address = address
        self.completion = completion
    }

    /// - Parameter answer: nil where none came in time.
    func settle(_ answer: NameAnswer?) {
        let completion = completion
        self.completion = nil
        timer = nil
        switch answer {
        case .addresses(let addresses): completion?(addresses.contains { $0.ip == address } ? .leads : .elsewhere)
        case .failed, nil: completion?(.unresolved)
        }
    }
}
