import Synchronization

/// So many bytes, and no more, of what peers sent: each cache, queue and table that outlives its connection has one.
///
/// Bytes are reckoned when something is put in, from the lengths of its texts and what surrounds them. What the process
/// holds for each purpose is the sum over all budgets of it, and told by ``heldBytes(for:)``.
public final class ByteBudget: Sendable {
    /// What the bytes are held for. Raw values are labels of a metric: never rename one, only add.
    public enum Purpose: String, Sendable, CaseIterable {
        /// Certificates of origins as they were judged.
        case chains
        /// TLS sessions that origins gave to be resumed.
        case sessions
        /// Certificates made for clients.
        case leaves
        /// Connections to origins that wait to be used again.
        case links
        /// Verdicts on hosts that are passed through.
        case verdicts
        /// What the law, and other dictionaries, said of targets.
        case rulings
        /// Who took and who refused the gate's certificates.
        case pinning
        /// Where redirects led.
        case redirects
        /// Clients' systems by what they call themselves.
        case systems
        /// Addresses of names.
        case names
        /// What records share, for writing them out.
        case forms
        /// Parts of records of which names were masked.
        case masks
        /// Rows of a store that were written or read.
        case rows
        /// Lines of the console that wait.
        case console
        /// What the live page shows.
        case page
    }

    public let limit: Int
    private let held = Atomic<Int>(0)
    private let sum: Total

    /// Over all budgets of one purpose.
    private final class Total: Sendable {
        let bytes = Atomic<Int>(0)
    }

    private static let sums = Purpose.allCases.reduce(into: [:]) { $0[$1] = Total() }

    /// - Parameter limit: in bytes.
    public init(_ purpose: Purpose, limit: Int) {
        self.limit = max(0, limit)
        sum = Self.sums[purpose] ?? Total()
    }

    deinit { add(-heldBytes) }

    public var heldBytes: Int { held.load(ordering: .relaxed) }

    /// Whether so many more fit.
    public func hasRoom(for bytes: Int) -> Bool { heldBytes + bytes <= limit }

    /// Takes note of so many bytes more, or less. Whoever holds them keeps to the limit.
    public func add(_ bytes: Int) {
        guard bytes != 0 else { return }
        held.add(bytes, ordering: .relaxed)
        sum.bytes.add(bytes, ordering: .relaxed)
    }

    /// What this process holds for a purpose, in bytes.
    public static func heldBytes(for purpose: Purpose) -> Int {
        sums[purpose]?.bytes.load(ordering: .relaxed) ?? 0
    }
}
