/// Writes small Mach-O files for tests. Source: Apple, xnu, EXTERNAL_HEADERS/mach-o/loader.h and fat.h.
struct MachOWriter {
    /// A section: its segment, its name, its flags and its content.
    struct Section {
        var segment = "__TEXT"
        let name: String
        var flags: UInt32 = 0
        let content: [UInt8]

        /// Strings that end with a zero byte (S_CSTRING_LITERALS).
        static func strings(_ texts: [String], named name: String = "__cstring") -> Section {
            Section(name: name, flags: 2, content: texts.flatMap { Array($0.utf8) + [0] })
        }

        /// Strings of 16-bit units.
        static func wide(_ texts: [String]) -> Section {
            let units: [UInt16] = texts.flatMap { Array($0.utf16) + [0] }
            return Section(name: "__ustring", content: units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        }
    }

    var isWide = true
    var isBigEndian = false
    /// Type of the processor: arm64 by default.
    var cpu: UInt32 = 0x0100_000C
    var sections: [Section] = []
    /// Platform, oldest release and SDK of LC_BUILD_VERSION, as numbers of the format; nil for no such command.
    var build: (platform: UInt32, oldest: UInt32, sdk: UInt32)? = (2, 0x000F_0000, 0x001A_0000)
    /// Number of an older command, with its two versions.
    var oldBuild: (command: UInt32, oldest: UInt32, sdk: UInt32)?
    /// `cryptid` of LC_ENCRYPTION_INFO, for all sections; nil for no such command.
    var encryption: UInt32?

    /// The file for one architecture.
    var bytes: [UInt8] {
        let header = isWide ? 32 : 28
        let length = commands(offset: 0).bytes.count
        let built = commands(offset: header + length)
        var file = words([isWide ? 0xFEED_FACF : 0xFEED_FACE, cpu, 0, 2, built.count, UInt32(length), 0])
        if isWide { file += words([0]) }
        return file + built.bytes + sections.flatMap(\.content)
    }

    /// A file with several architectures.
    static func fat(_ slices: [[UInt8]], isWide: Bool = false) -> [UInt8] {
        let head = MachOWriter(isBigEndian: true)
        var file = head.words([isWide ? 0xCAFE_BABF : 0xCAFE_BABE, UInt32(slices.count)])
        var place = 8 + slices.count * (isWide ? 32 : 20)
        for slice in slices {
            let (offset, size) = (UInt32(place), UInt32(slice.count))
            file += head.words(isWide ? [0, 0, 0, offset, 0, size, 0, 0] : [0, 0, offset, size, 0])
            place += slice.count
        }
        return file + slices.flatMap(\.self)
    }

    private func commands(offset: Int) -> (bytes: [UInt8], count: UInt32) {
        var bytes = segment(offset: offset)
        var count: UInt32 = 1
        let content = UInt32(sections.reduce(0) { $0 + $1.content.count })
        if let build {
            bytes += words([0x32, 24, build.platform, build.oldest, build.sdk, 0])
            count += 1
        }
        if let oldBuild {
            bytes += words([oldBuild.command, 16, oldBuild.oldest, oldBuild.sdk])
            count += 1
        }
        if let encryption {
            bytes += words(
                isWide
                    ? [0x2C, 24, UInt32(offset), content, encryption, 0]
                    : [0x21, 20, UInt32(offset), content, encryption])
            count += 1
        }
        return (bytes, count)
    }

    private func segment(offset: Int) -> [UInt8] {
        let head = isWide ? 72 : 56
        let entry = isWide ? 80 : 68
        var bytes = words([isWide ? 0x19 : 0x1, UInt32(head + sections.count * entry)]) + name("__TEXT")
        bytes += isWide ? words([0, 0, 0, 0, 0, 0, 0, 0]) : words([0, 0, 0, 0])
        bytes += words([7, 5, UInt32(sections.count), 0])
        var place = UInt32(offset)
        for section in sections {
            let size = UInt32(section.content.count)
            bytes += name(section.name) + name(section.segment)
            bytes += isWide ? long(0) + long(size) : words([0, size])
            bytes += words([place, 0, 0, 0, section.flags, 0, 0]) + (isWide ? words([0]) : [])
            place += size
        }
        return bytes
    }

    private func name(_ text: String) -> [UInt8] {
        Array(text.utf8.prefix(16)) + [UInt8](repeating: 0, count: max(0, 16 - text.utf8.count))
    }

    private func long(_ number: UInt32) -> [UInt8] { words(isBigEndian ? [0, number] : [number, 0]) }

    private func words(_ numbers: [UInt32]) -> [UInt8] {
        numbers.flatMap { number in
            let bytes = [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) }
            return isBigEndian ? bytes : bytes.reversed()
        }
    }
}
