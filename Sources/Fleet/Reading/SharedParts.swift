import Bytes
import Postgres
import Reporting

/// State that a source keeps between looks at a shared store: small numbers that stand for the 128-bit names of forms
/// and handshakes, and the forms that were used last. The content of a name never changes.
final class SharedParts {
    private var numbers: [PostgresUUID: Int64] = [:]
    private var names: [PostgresUUID] = []
    var forms = WeighedCache<Int64, StoredForm>(.rows, limit: 32 << 20, count: 8192)
    private var count = 0
    var handshakes = WeighedCache<Int64, [UInt8]>(.rows, limit: 16 << 20, count: 8192)

    /// Returns a number that is unique for this source.
    func nextNumber() -> Int {
        count += 1
        return count
    }

    /// The number that stands for a name.
    func number(_ name: PostgresUUID) -> Int64 {
        if let known = numbers[name] { return known }
        let number = Int64(names.count)
        numbers[name] = number
        names.append(name)
        return number
    }

    /// nil if the number was never assigned.
    func name(_ number: Int64) -> PostgresUUID? {
        names.indices.contains(Int(number)) ? names[Int(number)] : nil
    }
}

extension PostgresUUID {
    init(_ bits: UInt128) {
        self.init(high: UInt64(truncatingIfNeeded: bits >> 64), low: UInt64(truncatingIfNeeded: bits))
    }

    var bits: UInt128 { UInt128(high) << 64 | UInt128(low) }
}
