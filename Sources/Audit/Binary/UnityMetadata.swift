/// The string literals of a Unity app whose C# was compiled by IL2CPP, from its `global-metadata.dat`.
///
/// After a magic number and a version, the file's head has an offset and a size for each section, since version 38 also
/// a count. The first section is the table of literals, the second their text in UTF-8, without ends. An entry of the
/// table has a length and an offset; since version 35 only an offset, and a literal ends where the next one begins.
/// Sources (observed, Unity has no public description): GitHub, SamboyCoding/Cpp2IL,
/// LibCpp2IL/Metadata/Il2CppGlobalMetadataHeader.cs and Il2CppMetadata.cs; LukeFZ/Il2CppInspectorRedux,
/// Il2CppInspector.Common/Next/MetadataVersions.cs.
struct UnityMetadata {
    private let source: any ByteSource
    /// Place of each literal in the file.
    private let literals: [Range<Int>]

    enum Fault: Error {
        /// Another magic number: encrypted, or another file.
        case otherMagic
        case unknownVersion(UInt32)
        /// A section or a literal lies outside of the file.
        case malformed(version: UInt32)

        var words: String {
            switch self {
            case .otherMagic: "does not have the form of Unity's metadata, perhaps because it is encrypted"
            case .unknownVersion(let version): "is Unity's metadata of the unknown version \(version)"
            case .malformed(let version): "is malformed metadata of Unity, version \(version)"
            }
        }
    }

    /// True for such a file: by its magic number, or by its name if it is encrypted.
    static func isMetadata(_ beginning: [UInt8], name: String) -> Bool {
        BinaryNumbers(bytes: beginning).word(0) == magic || name == "global-metadata.dat"
    }

    init(_ source: some ByteSource) throws(Fault) {
        let head = BinaryNumbers(bytes: source.bytes(at: 0, count: Self.headBytes))
        guard head.word(0) == Self.magic, let version = head.word(4) else { throw .otherMagic }
        guard Self.versions.contains(where: { $0.contains(version) }) else { throw .unknownVersion(version) }
        let sectionBytes = version >= Self.firstWithCounts ? 12 : 8
        guard let table = Self.section(head, at: 8, in: source), table.count <= Self.mostTableBytes,
            let text = Self.section(head, at: 8 + sectionBytes, in: source),
            let literals = Self.literals(
                BinaryNumbers(bytes: source.bytes(at: table.lowerBound, count: table.count)),
                hasLengths: version < Self.firstWithoutLengths, in: text)
        else { throw .malformed(version: version) }
        self.source = source
        self.literals = literals
    }

    /// Calls `body` with the text of each literal.
    func forEachLiteral(_ body: ([UInt8]) -> Void) {
        for literal in literals where literal.count >= Self.shortest {
            body(source.bytes(at: literal.lowerBound, count: min(literal.count, Self.longest)))
        }
    }

    private static func section(_ head: BinaryNumbers, at place: Int, in source: some ByteSource) -> Range<Int>? {
        guard let offset = head.word(place).map(Int.init), let size = head.word(place + 4).map(Int.init),
            offset <= source.count, size <= source.count - offset
        else { return nil }
        return offset..<offset + size
    }

    /// - Returns: nil if a literal lies outside of the text.
    private static func literals(_ table: BinaryNumbers, hasLengths: Bool, in text: Range<Int>) -> [Range<Int>]? {
        let entryBytes = hasLengths ? 8 : 4
        guard table.bytes.count % entryBytes == 0 else { return nil }
        var literals: [Range<Int>] = []
        literals.reserveCapacity(table.bytes.count / entryBytes)
        for place in stride(from: 0, to: table.bytes.count, by: entryBytes) {
            guard let start = table.word(place + entryBytes - 4).map(Int.init), start <= text.count else { return nil }
            // The last one ends with the text.
            let end = hasLengths ? table.word(place).map { start + Int($0) } : table.word(place + 4).map(Int.init)
            guard start <= end ?? text.count, end ?? text.count <= text.count else { return nil }
            literals.append(text.lowerBound + start..<text.lowerBound + (end ?? text.count))
        }
        return literals
    }

    private static let magic: UInt32 = 0xFAB1_1BAF
    /// Version, and two sections.
    private static let headBytes = 32
    private static let versions: [ClosedRange<UInt32>] = [16...31, 35...35, 38...39, 104...110]
    private static let firstWithoutLengths: UInt32 = 35
    private static let firstWithCounts: UInt32 = 38
    /// A limit against forged files: 4 million literals. Large games have some 100,000.
    private static let mostTableBytes = 32 << 20
    /// No host is shorter.
    private static let shortest = 4
    /// Longer literals are data.
    private static let longest = 1 << 20
}
