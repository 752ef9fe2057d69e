import Bytes
import Postgres
import Reporting

/// What a source knows of a shared store from one look to the next: numbers for its forms and handshakes, which readers
/// keep instead of 128 bits, and the forms that were met last. Content never changes under its name there.
final class SharedParts {
    private var numbers: [PostgresUUID: Int64] = [:]
    private var names: [PostgresUUID] = []
    var forms = WeighedCache<Int64, StoredForm>(.rows, limit: 32 << 20, count: 8192)
    private var count = 0
    var handshakes = WeighedCache<Int64, [UInt8]>(.rows, limit: 16 << 20, count: 8192)

    /// A number that no other look or question of this source has.
    func nextNumber() -> Int {
        count += 1
        return count
    }

    /// The number that stands for a name here.
    func number(_ name: PostgresUUID) -> Int64 {
        if let known = numbers[name] { return known }
        let number = Int64(names.count)
        numbers[name] = number
        names.append(name)
        return number
    }

    /// nil for a number that nobody got.
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
