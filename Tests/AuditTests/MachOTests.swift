import ATSPolicy
import Audit
import Seeded
import Testing

@Suite("Mach-O files")
struct MachOTests {
    private static let text = ["https://api.example.app/v1", "not a url"]

    @Test("sections are found in both widths and both byte orders", arguments: [true, false], [true, false])
    func sections(isWide: Bool, isBigEndian: Bool) throws {
        var writer = MachOWriter(isWide: isWide, isBigEndian: isBigEndian)
        writer.sections = [.strings(Self.text), .wide(["http://wide.example.app/"])]
        let bytes = writer.bytes
        let slice = try #require(MachOFile(bytes)?.slices.first)
        #expect(slice.sections.map(\.name) == ["__TEXT,__cstring", "__TEXT,__ustring"])
        #expect(slice.sections.map(\.kind) == [.strings, .wideStrings])
        #expect(Array(bytes[slice.sections[0].range].prefix(8)) == Array("https://".utf8))
        #expect(slice.faults.isEmpty)
    }

    @Test("oldest release and SDK are read from LC_BUILD_VERSION, for simulators too")
    func build() throws {
        var writer = MachOWriter(sections: [.strings(Self.text)])
        writer.build = (7, 0x000E_0200, 0x0010_0401)
        let build = try #require(MachOFile(writer.bytes)?.slices.first?.build)
        #expect(build.platform == .ios && build.isSimulator)
        #expect(build.oldest == OSVersion(14, 2) && build.sdk == OSVersion(16, 4, 1))
        #expect(build.linkedSDK?.isBefore(OSVersion(17)) == true)
    }

    @Test(
        "the commands of older linkers name their platform",
        arguments: [(0x24, "macos"), (0x25, "ios"), (0x30, "watchos")])
    func oldBuild(command: UInt32, platform: String) throws {
        var writer = MachOWriter(sections: [.strings(Self.text)])
        writer.build = nil
        writer.oldBuild = (command, 0x000A_0D00, 0)
        let build = try #require(MachOFile(writer.bytes)?.slices.first?.build)
        #expect(build.platform?.rawValue == platform && build.oldest == OSVersion(10, 13) && build.sdk == nil)
    }

    @Test("every architecture of a fat file is read", arguments: [true, false])
    func fat(isWide: Bool) throws {
        let arm = MachOWriter(sections: [.strings(["https://arm.example.app"])])
        var intel = MachOWriter(sections: [.strings(["https://intel.example.app"])])
        intel.cpu = 0x0100_0007
        let file = try #require(MachOFile(MachOWriter.fat([arm.bytes, intel.bytes], isWide: isWide)))
        #expect(file.slices.map(\.architecture) == ["arm64", "x86_64"])
        #expect(file.slices.allSatisfy { $0.sections.count == 1 })
    }

    @Test("a slice that the App Store encrypted is recognised, one with cryptid 0 is not")
    func encryption() throws {
        var writer = MachOWriter(sections: [.strings(Self.text)])
        writer.encryption = 1
        let slice = try #require(MachOFile(writer.bytes)?.slices.first)
        #expect(slice.isEncrypted && slice.sections[0].isEncrypted)
        writer.encryption = 0
        #expect(MachOFile(writer.bytes)?.slices.first?.isEncrypted == false)
    }

    @Test("code, sections without bytes and other files are left out")
    func leftOut() throws {
        var writer = MachOWriter()
        writer.sections = [
            .init(name: "__text", flags: 0x8000_0400, content: [1, 2, 3, 4]),
            .init(segment: "__DATA", name: "__bss", flags: 1, content: [1, 2, 3, 4]),
        ]
        #expect(try #require(MachOFile(writer.bytes)?.slices.first).sections.isEmpty)
        #expect(MachOFile(Array("#!/bin/sh\necho".utf8)) == nil)
        // A Java class of version 52.
        #expect(MachOFile([0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 0, 1]) == nil)
        #expect(MachOFile([UInt8]()) == nil)
    }

    @Test("a file that is cut at any byte has a fault or fewer sections, and never traps")
    func truncation() {
        var writer = MachOWriter(sections: [.strings(Self.text), .wide(["http://wide.example.app/"])])
        writer.encryption = 0
        let whole = MachOWriter.fat([writer.bytes, writer.bytes])
        for length in 0..<whole.count {
            guard let file = MachOFile(Array(whole.prefix(length))) else { continue }
            #expect(!file.faults.isEmpty || file.slices.contains { !$0.faults.isEmpty }, "cut at \(length)")
            for section in file.slices.flatMap(\.sections) { #expect(section.range.upperBound <= length) }
        }
    }

    @Test("random changes never trap, and sections stay inside of the file", arguments: 1...40)
    func mutation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var writer = MachOWriter(isWide: Bool.random(using: &random), isBigEndian: Bool.random(using: &random))
        writer.sections = [
            .strings(Self.text), .wide(Self.text), .init(name: "__const", content: Array("http://a.example.app".utf8)),
        ]
        writer.encryption = 1
        let whole =
            Bool.random(using: &random) ? MachOWriter.fat([writer.bytes, writer.bytes], isWide: true) : writer.bytes
        for _ in 0..<200 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<min(bytes.count, 512), using: &random)
                bytes[place] =
                    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random)
                    ?? 0
            }
            guard let file = MachOFile(bytes) else { continue }
            for section in file.slices.flatMap(\.sections) {
                #expect(section.range.lowerBound >= 0 && section.range.upperBound <= bytes.count, "seed \(seed)")
            }
        }
    }
}
