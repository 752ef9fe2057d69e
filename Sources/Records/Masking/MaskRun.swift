import ATSPolicy
import Bytes

/// The state that the masks of one record's fields share.
package struct MaskRun: Sendable {
    let names: NameMask
    /// Names that the record's sentences may contain.
    private var known: KnownNames
    /// The requested host, before it was masked.
    private var host = ""
    /// True if the current field has changed.
    private(set) var isChanged = false
    /// The parts of the field's URL that were hidden.
    private var hiddenParts: URLMask.Parts = []
    private var places: [MaskedField] = []
    /// Masked parts by identity. Records share parts, and shared rows are found by the identity of parts, so masking
    /// must return the same part again.
    private var parts: WeighedCache<PartKey, (part: any RecordPart, masked: any RecordPart)>?

    /// A part and the requested host.
    private struct PartKey: Hashable {
        let part: ObjectIdentifier
        let host: String
    }

    init(_ names: NameMask, _ known: KnownNames = KnownNames()) {
        self.names = names
        self.known = known
    }

    /// Starts the next record.
    mutating func begin(host: String, _ known: KnownNames) {
        if parts == nil { parts = WeighedCache(.masks, limit: 5 << 20, count: 4096) }
        (self.host, self.known) = (host, known)
        places = []
        clear()
    }

    /// The masked fields of the current record, as records list them.
    var masked: [String] { places.flatMap(\.names) }

    /// Returns the masked text.
    mutating func text(_ kind: NameKind, _ text: String) -> String {
        var new: String
        if kind == .url {
            var mask = URLMask(keepsQueryValues: true, names: names)
            new = mask.url(text)
            hiddenParts.formUnion(mask.hiddenParts)
        } else {
            new = kind.masked(text, by: names, known)
        }
        if new != text { isChanged = true }
        return new
    }

    mutating func handshake(_ handshake: inout RecordedHandshake) {
        let new = names.handshake(handshake, of: host)
        guard new != handshake else { return }
        handshake = new
        isChanged = true
    }

    /// - Parameter mask: masks the members of the part.
    mutating func part<Part: RecordPart>(
        _ part: inout Part, _ mask: (inout Part.Members, inout MaskRun) -> Void
    ) {
        let key = PartKey(part: ObjectIdentifier(part), host: host)
        let kept = Part.isShared ? parts?.value(for: key)?.masked as? Part : nil
        if let kept {
            if kept !== part { isChanged = true }
            part = kept
            return
        }
        let old = part
        let around = known
        if Part.isShared { known = old.known(of: host, by: names) }
        var members = old.members
        mask(&members, &self)
        if isChanged { part = Part(members) }
        known = around
        if Part.isShared { parts?.keep((old, part), for: key, bytes: old.bytes * 2) }
    }

    /// Lists the current field if it has changed, and starts the next one.
    mutating func list(_ place: MaskedField) {
        defer { clear() }
        guard isChanged else { return }
        var place = place
        place.parts.formUnion(hiddenParts)
        if let index = places.firstIndex(where: { $0.name == place.name }) {
            places[index].parts.formUnion(place.parts)
        } else {
            places.append(place)
        }
    }

    private mutating func clear() {
        isChanged = false
        hiddenParts = []
    }
}

/// One item of a record's `masked` list.
struct MaskedField: Sendable {
    var name: String
    /// Parts of a URL, which are listed one by one.
    var parts: URLMask.Parts = []

    var names: [String] { parts.isEmpty ? [name] : parts.names(in: name + ".") }
}

/// A part of a record that is an immutable reference; a change makes a new part.
package protocol RecordPart: AnyObject, Sendable {
    associatedtype Members: Sendable

    /// True if many records hold the same part.
    static var isShared: Bool { get }
    var members: Members { get }
    /// Approximate size in memory.
    var bytes: Int { get }

    init(_ members: Members)
    /// The names that the sentences of a shared part may contain.
    func known(of host: String, by names: NameMask) -> KnownNames
}

extension RecordPart {
    package static var isShared: Bool { true }
    package var bytes: Int { 512 }

    package func known(of host: String, by names: NameMask) -> KnownNames { names.known(host: host, entry: nil) }
}

/// A text, or several, that can be a name.
package protocol MaskedText: Sendable {
    func masked(by mask: (String) -> String) -> Self
}

extension String: MaskedText {
    package func masked(by mask: (String) -> String) -> String { mask(self) }
}

extension Optional: MaskedText where Wrapped: MaskedText {
    package func masked(by mask: (String) -> String) -> Wrapped? { map { $0.masked(by: mask) } }
}

extension Array: MaskedText where Element: MaskedText {
    package func masked(by mask: (String) -> String) -> [Element] { map { $0.masked(by: mask) } }
}

/// Masks names in records as they are filed, before any sink sees them and off the loops. The fields declare their
/// names and kinds.
public struct RecordMask: Sendable {
    private let names: NameMask
    private var run: MaskRun
    private var certificates = WeighedCache<OriginKey, (origin: RecordedOrigin, known: KnownNames)>(
        .masks, limit: 4 << 20, count: 2048)

    /// An origin and the requested host.
    private struct OriginKey: Hashable {
        let origin: ObjectIdentifier
        let host: String
    }

    public init(_ names: NameMask) {
        self.names = names
        run = MaskRun(names)
    }

    /// Masks `record` in place, and lists what was masked in `record.masked`. Query values must have been removed from
    /// its URLs before.
    public mutating func apply(to record: inout LoadRecord) {
        let hasSentences = record.diagnosis != nil || record.device != nil || !record.removed.isEmpty
        run.begin(host: record.load.target.host, hasSentences ? known(to: record) : KnownNames())
        RecordFields.maskNames(of: &record.own.members, by: &run)
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
