import ATSPolicy
import Bytes
import Records
import TLSEngine

/// A client's hello with its meaning. Clients of one program share it.
final class ClientHelloSight {
    let reading: HelloReading
    /// For records, without the comparison with the rules.
    let recorded: RecordedHello

    init(_ content: HelloContent) {
        reading = HelloReading(content)
        recorded = RecordedHello(reading, ja4: content.ja4)
    }

    /// The hello in the record of a load.
    func compared(under ruled: TargetRuling) -> RecordedHello {
        let isGoverned = !ruled.isOutside && ruled.target.scheme == .https
        return recorded.compared(reading, with: isGoverned ? HelloForecast(ruled.permit) : nil)
    }
}

/// The latest hellos of one loop. Hashing a hello's values costs a tenth of computing its JA4.
struct HelloMemory {
    private var known = WeighedCache<HelloContent, ClientHelloSight>(
        .hellos, limit: 1 << 20, count: HelloMemory.limit)

    mutating func hello(_ content: HelloContent) -> ClientHelloSight {
        if let known = known.value(for: content) { return known }
        let made = ClientHelloSight(content)
        known.keep(made, for: content, bytes: Self.helloBytes)
        return made
    }

    private static let limit = 256
    /// The size of a hello's values and meaning. Real hellos have fewer values.
    private static let helloBytes = 1_024
}
