import Bytes

/// What the masks of one record's fields have in common.
package struct MaskRun: Sendable {
    let names: NameMask
    /// What its sentences may hold.
    private var known: KnownNames
    /// That was asked for, before it was masked.
    private var host = ""
    /// Whether the field at hand has changed.
    private(set) var isChanged = false
    /// What of its URL was hidden.
    private var hid: URLMask.Parts = []
    private var places: [MaskedPlace] = []
    /// Records share parts, by whose identity their forms are found again, so masked parts are kept.
    private var parts: WeighedCache<PartKey, (part: any RecordPart, masked: any RecordPart)>?

    /// A part, and the host that was asked for.
    private struct PartKey: Hashable {
        let part: ObjectIdentifier
        let host: String
    }

    init(_ names: NameMask, _ known: KnownNames = KnownNames()) {
        self.names = names
        self.known = known
    }

    /// The next record comes.
    mutating func begin(host: String, _ known: KnownNames) {
        if parts == nil { parts = WeighedCache(.masks, limit: 5 << 20, count: 4096) }
        (self.host, self.known) = (host, known)
        places = []
        clear()
    }

    /// What was masked since then, as records list it.
    var masked: [String] { places.flatMap(\.names) }

    /// What stands for a text.
    mutating func text(_ kind: NameKind, _ text: String) -> String {
        var new: String
        if kind == .url {
            var mask = URLMask(keepsQueryValues: true, names: names)
            new = mask.url(text)
            hid.formUnion(mask.hid)
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

    /// - Parameter mask: masks what the part says.
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

    /// Lists the field at hand where it has changed. Its next one comes.
    mutating func list(_ place: MaskedPlace) {
        defer { clear() }
        guard isChanged else { return }
        var place = place
        place.parts.formUnion(hid)
        if let index = places.firstIndex(where: { $0.name == place.name }) {
            places[index].parts.formUnion(place.parts)
        } else {
            places.append(place)
        }
    }

    private mutating func clear() {
        isChanged = false
        hid = []
    }
}

/// What `masked` of a record says of a field.
struct MaskedPlace: Sendable {
    var name: String
    /// Of a URL, which are listed one by one.
    var parts: URLMask.Parts = []

    var names: [String] { parts.isEmpty ? [name] : parts.names(in: name + ".") }
}

/// A part of a record that is one reference: what it says is changed by making another.
package protocol RecordPart: AnyObject, Sendable {
    associatedtype Members: Sendable

    /// Whether many records hold the same one.
    static var isShared: Bool { get }
    var members: Members { get }
    /// What it takes in memory, about.
    var bytes: Int { get }

    init(_ members: Members)
    /// What the sentences of a part that is shared may hold.
    func known(of host: String, by names: NameMask) -> KnownNames
}

extension RecordPart {
    package static var isShared: Bool { true }
    package var bytes: Int { 512 }

    package func known(of host: String, by names: NameMask) -> KnownNames { names.known(host: host, entry: nil) }
}

/// A text that can be a name, or several of them.
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
