import ATSPolicy
import Bytes

/// Masks names in records as they are filed, before any sink sees them and off the loops. The fields declare their
/// names and kinds.
public struct RecordMask: Sendable {
    private let names: NameMask
    private let fields: @Sendable (inout LoadRecord.Members, inout MaskRun) -> Void
    private var run: MaskRun
    private var certificates = WeighedCache<OriginKey, (origin: RecordedOrigin, known: KnownNames)>(
        .masks, limit: 4 << 20, count: 2048)

    /// An origin and the requested host.
    private struct OriginKey: Hashable {
        let origin: ObjectIdentifier
        let host: String
    }

    /// - Parameter names: hides the names that match its patterns. A mask that hides everything is for stored records.
    public init(_ names: NameMask) {
        self.init(names, RecordFields.self)
    }

    /// - Parameter list: fields of a record.
    package init<List: FieldList>(_ names: NameMask, _ list: List.Type) where List.Holder == LoadRecord.Members {
        self.names = names
        fields = { List.catalog.mask(&$0, by: &$1, listingAfter: "") }
        run = MaskRun(names)
    }

    /// Masks `record` in place, and lists what was masked in `record.masked`. Query values must have been removed from
    /// its URLs before.
    public mutating func apply(to record: inout LoadRecord) {
        let hasSentences = record.diagnosis != nil || record.device != nil || !record.removed.isEmpty
        run.begin(host: record.load.target.host, hasSentences ? known(to: record) : KnownNames())
        fields(&record.own.members, &run)
        record.masked += run.masked
    }

    /// Returns the names that the sentences of a record may contain.
    private mutating func known(to record: LoadRecord) -> KnownNames {
        var known = names.known(host: record.load.target.host, entry: record.policy.basis?.entry)
        if let origin = record.origin, let facts = origin.facts {
            let id = OriginKey(origin: ObjectIdentifier(origin), host: record.load.target.host)
            if let learned = certificates.value(for: id)?.known {
                known.add(learned)
            } else {
                var learned = known
                names.learn(facts.served + facts.path, &learned)
                certificates.keep((origin, learned), for: id, bytes: origin.bytes * 2)
                known.add(learned)
            }
        }
        return names.known(known, withPathOf: record.load.pathOfURL) ?? known
    }
}
