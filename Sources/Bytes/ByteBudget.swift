import Synchronization

/// A limit on the bytes that are kept of peers' data. Each cache, queue and table that outlives its connection has one.
///
/// Bytes are counted when an entry is added, from the lengths of its texts plus overhead. ``heldBytes(for:)`` is the
/// sum over all budgets of one purpose in this process.
public final class ByteBudget: Sendable {
    /// The use of the bytes. Raw values are labels of a metric: never rename one, only add.
    public enum Purpose: String, Sendable, CaseIterable {
        /// Certificates of origins, as they were judged.
        case chains
        /// Certificates made for clients.
        case leaves
        /// Idle connections to origins, kept for reuse.
        case links
        /// Verdicts on hosts that are passed through.
        case verdicts
        /// Rulings on targets, under the policy.
        case rulings
        /// Clients that accepted or rejected the gate's certificates.
        case pinning
        /// CAs of origins, to recognize a decrypting proxy.
        case issuers
        /// Targets of redirects.
        case redirects
        /// Releases of clients, by their User-Agent.
        case systems
        /// Meanings of ClientHellos.
        case hellos
        /// Addresses of names.
        case names
        /// Parts that records share, for writing them.
        case forms
        /// Parts of records with masked names.
        case masks
        /// Rows of a store that were written or read.
        case rows
        /// Console lines that wait to be written.
        case console
        /// Data of the live page.
        case page
    }

    public let limit: Int
    private let held = Atomic<Int>(0)
    private let sum: Total

    /// The sum over all budgets of one purpose.
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

    /// True if that many more bytes fit.
    public func hasRoom(for bytes: Int) -> Bool { heldBytes + bytes <= limit }

    /// Counts more bytes, or fewer. The caller must respect the limit.
    public func add(_ bytes: Int) {
        guard bytes != 0 else { return }
        held.add(bytes, ordering: .relaxed)
        sum.bytes.add(bytes, ordering: .relaxed)
    }

    /// Returns the number of bytes that this process holds for a purpose.
    public static func heldBytes(for purpose: Purpose) -> Int {
        sums[purpose]?.bytes.load(ordering: .relaxed) ?? 0
    }
}
