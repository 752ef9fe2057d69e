/// The parts of a Mach-O file that an audit reads: architectures, the oldest system, the SDK, encryption, and sections
/// with data.
///
/// Source: Apple, xnu, EXTERNAL_HEADERS/mach-o/loader.h and fat.h. Every offset and length in the file is checked, so a
/// malformed file gives fewer sections and a fault.
public struct MachOFile: Sendable, Hashable {
    /// One for each architecture.
    public private(set) var slices: [MachOSlice] = []
    /// Problems of the file as a whole, as sentences.
    public private(set) var faults: [String] = []

    /// - Returns: nil if the file does not begin like a Mach-O file.
    public init?(_ source: some ByteSource) {
        let beginning = source.bytes(at: 0, count: 8)
        guard Self.isMachO(beginning) else { return nil }
        let head = BinaryNumbers(bytes: beginning, isBigEndian: true)
        switch head.word(0) {
        case Self.fat32?, Self.fat64?: readFat(source, isWide: head.word(0) == Self.fat64, count: head.word(4) ?? 0)
        default: slices = [MachOSlice(source, in: 0..<source.count)]
        }
    }

    /// True for the first eight bytes of a Mach-O file of any kind.
    public static func isMachO(_ beginning: [UInt8]) -> Bool {
        let head = BinaryNumbers(bytes: Array(beginning.prefix(8)), isBigEndian: true)
        guard let magic = head.word(0), let next = head.word(4) else { return false }
        // Files of Java classes begin like a fat file. Their next number is the version of the format, 45 or more
        // (The Java Virtual Machine Specification, section 4.1).
        if magic == fat32 || magic == fat64 { return next <= mostSlices }
        return MachOSlice.magics[magic] != nil
    }

    private mutating func readFat(_ source: some ByteSource, isWide: Bool, count: UInt32) {
        let entry = isWide ? 32 : 20
        let table = BinaryNumbers(bytes: source.bytes(at: 8, count: Int(count) * entry), isBigEndian: true)
        for index in 0..<Int(count) {
            let start = index * entry
            let place = isWide ? table.long(start + 8) : table.word(start + 8).map(UInt64.init)
            let length = isWide ? table.long(start + 16) : table.word(start + 12).map(UInt64.init)
            guard let place, let length, let range = source.clipped(place, length) else {
                faults.append("architecture \(index + 1) of \(count) lies outside of the file")
                continue
            }
            if UInt64(range.count) < length { faults.append("architecture \(index + 1) of \(count) is cut off") }
            slices.append(MachOSlice(source, in: range))
        }
    }

    private static let fat32: UInt32 = 0xCAFE_BABE
    private static let fat64: UInt32 = 0xCAFE_BABF
    /// Below the first version of Java's class files. Apple's tools write at most a dozen architectures.
    private static let mostSlices = 40
}

/// The code for one architecture.
public struct MachOSlice: Sendable, Hashable {
    /// A section with data, not code.
    public struct Section: Sendable, Hashable {
        /// Strings of a section end with a zero byte, have 16-bit units, or have an order of their own.
        public enum Kind: Sendable, Hashable {
            case strings, wideStrings, data
        }

        /// `SEGMENT,SECTION`, as tools write it.
        public let name: String
        public let kind: Kind
        /// Place in the whole file.
        public let range: Range<Int>
        /// True if the App Store encrypted a part of it.
        public let isEncrypted: Bool
    }

    public let architecture: String
    /// As in LC_BUILD_VERSION or LC_VERSION_MIN; nil if the file has neither.
    public private(set) var build: MachOBuild?
    public private(set) var sections: [Section] = []
    /// Problems, as sentences.
    public private(set) var faults: [String] = []
    /// True if the App Store encrypted the code (`cryptid` of LC_ENCRYPTION_INFO is not 0).
    public var isEncrypted: Bool { !encrypted.isEmpty }

    private var encrypted: [Range<UInt64>] = []
    private var isWide = true

    init(_ source: some ByteSource, in range: Range<Int>) {
        let head = source.bytes(at: range.lowerBound, count: min(32, range.count))
        guard let magic = BinaryNumbers(bytes: head, isBigEndian: true).word(0), let form = Self.magics[magic] else {
            architecture = "unknown"
            faults.append("an architecture does not begin with a Mach-O header")
            return
        }
        isWide = form.isWide
        let numbers = BinaryNumbers(bytes: head, isBigEndian: form.isBigEndian)
        architecture = Self.architecture(numbers.word(4) ?? 0, numbers.word(8) ?? 0)
        let header = form.isWide ? 32 : 28
        guard let count = numbers.word(16), let length = numbers.word(20), range.count >= header else {
            faults.append("the Mach-O header is cut off")
            return
        }
        let room = min(Int(length), range.count - header, Self.mostCommandBytes)
        if room < Int(length) { faults.append("the load commands are cut off") }
        let commands = BinaryNumbers(
            bytes: source.bytes(at: range.lowerBound + header, count: room), isBigEndian: form.isBigEndian)
        let places = places(of: commands, count: count)
        // Sections are compared with encrypted ranges, which later commands may name.
        for place in places { readFacts(commands, at: place.start) }
        for place in places { readSegment(commands, at: place, in: range) }
    }

    /// The offset and length of each load command.
    private mutating func places(of commands: BinaryNumbers, count: UInt32) -> [(start: Int, length: Int)] {
        var places: [(start: Int, length: Int)] = []
        var start = 0
        for _ in 0..<min(count, Self.mostCommands) {
            guard let size = commands.word(start + 4), size >= 8, Int(size) <= commands.bytes.count - start else {
                faults.append("load command \(places.count + 1) of \(count) is malformed")
                break
            }
            places.append((start, Int(size)))
            start += Int(size)
        }
        return places
    }

    private mutating func readFacts(_ commands: BinaryNumbers, at start: Int) {
        switch commands.word(start) {
        case 0x21, 0x2C:
            guard let offset = commands.word(start + 8), let size = commands.word(start + 12),
                let id = commands.word(start + 16), id != 0
            else { return }
            encrypted.append(UInt64(offset)..<UInt64(offset) + UInt64(size))
        case 0x32:
            guard let platform = commands.word(start + 8), let oldest = commands.word(start + 12),
                let sdk = commands.word(start + 16)
            else { return }
            build = MachOBuild(platform: platform, oldest: oldest, sdk: sdk)
        case let command? where MachOBuild.oldPlatforms[command] != nil:
            guard let oldest = commands.word(start + 8), let sdk = commands.word(start + 12), build == nil else {
                return
            }
            build = MachOBuild(platform: MachOBuild.oldPlatforms[command] ?? 0, oldest: oldest, sdk: sdk)
        default: return
        }
    }

    private mutating func readSegment(
        _ commands: BinaryNumbers, at place: (start: Int, length: Int), in slice: Range<Int>
    ) {
        let isWide: Bool
        switch commands.word(place.start) {
        case 0x1: isWide = false
        case 0x19: isWide = true
        default: return
        }
        let head = isWide ? 72 : 56
        let entry = isWide ? 80 : 68
        guard let count = commands.word(place.start + (isWide ? 64 : 48)), place.length >= head else { return }
        let fitting = (place.length - head) / entry
        if fitting < Int(count) { faults.append("a segment has more sections than its load command has room for") }
        for index in 0..<min(Int(count), fitting) where sections.count < Self.mostSections {
            readSection(commands, at: place.start + head + index * entry, isWide: isWide, in: slice)
        }
    }

    private mutating func readSection(_ commands: BinaryNumbers, at start: Int, isWide: Bool, in slice: Range<Int>) {
        let size = isWide ? commands.long(start + 40) : commands.word(start + 36).map(UInt64.init)
        guard let size, let offset = commands.word(start + (isWide ? 48 : 40)),
            let flags = commands.word(start + (isWide ? 64 : 56)), size > 0, offset > 0
        else { return }
        let type = flags & 0xFF
        guard !Self.emptyTypes.contains(type), flags & Self.codeFlags == 0 else { return }
        let name = commands.name(start + 16, 16) + "," + commands.name(start, 16)
        guard UInt64(offset) < UInt64(slice.count) else {
            faults.append("the section \(name) lies outside of the file")
            return
        }
        let room = min(size, UInt64(slice.count) - UInt64(offset))
        if room < size { faults.append("the section \(name) is cut off") }
        let first = slice.lowerBound + Int(offset)
        let kind: Section.Kind =
            if type == Self.stringType || name.hasSuffix(",__oslogstring") { .strings } else {
                name.hasSuffix(",__ustring") ? .wideStrings : .data
            }
        sections.append(
            Section(
                name: name, kind: kind, range: first..<first + Int(room),
                isEncrypted: encrypted.contains { $0.overlaps(UInt64(offset)..<UInt64(offset) + room) }))
    }
}

extension MachOSlice {
    /// MH_MAGIC and MH_MAGIC_64, read as big-endian numbers.
    static let magics: [UInt32: (isWide: Bool, isBigEndian: Bool)] = [
        0xFEED_FACE: (false, true), 0xCEFA_EDFE: (false, false), 0xFEED_FACF: (true, true), 0xCFFA_EDFE: (true, false),
    ]
    /// S_CSTRING_LITERALS.
    private static let stringType: UInt32 = 0x2
    /// S_ZEROFILL, S_GB_ZEROFILL and S_THREAD_LOCAL_ZEROFILL have no bytes in the file.
    private static let emptyTypes: Set<UInt32> = [0x1, 0xC, 0x12]
    /// S_ATTR_PURE_INSTRUCTIONS and S_ATTR_SOME_INSTRUCTIONS.
    private static let codeFlags: UInt32 = 0x8000_0400
    /// Limits against forged files. Linkers write less than a hundredth of them.
    private static let mostCommands: UInt32 = 100_000
    private static let mostCommandBytes = 16 << 20
    private static let mostSections = 10_000

    private static func architecture(_ type: UInt32, _ subtype: UInt32) -> String {
        switch (type, subtype & 0xFF_FFFF) {
        case (0x7, _): "i386"
        case (0x0100_0007, _): "x86_64"
        case (0xC, 9): "armv7"
        case (0xC, 11): "armv7s"
        case (0xC, 12): "armv7k"
        case (0xC, _): "arm"
        case (0x0100_000C, 2): "arm64e"
        case (0x0100_000C, _): "arm64"
        case (0x0200_000C, _): "arm64_32"
        case (0x12, _): "ppc"
        case (0x0100_0012, _): "ppc64"
        default: "unknown processor"
        }
    }
}
