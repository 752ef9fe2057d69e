import ATSPolicy
import Declarations
import Foundation
import TestSupport
import Testing

/// Bundles, archives, directories and standard input.
struct ContainerTests {
    private let free = Array(Sample.arbitraryLoads.utf8)
    private let strict = Array(Sample.xml("", bundleID: "com.example.share").utf8)

    private func read(_ path: String) throws -> [LoadedDeclaration] {
        try DeclarationReader.read(path: path, standardInput: { [] })
    }

    @Test("an iOS app is read with its extensions, with the app first")
    func iOSApp() throws {
        let folder = try Folder()
        try folder.write("A.app/Info.plist", free)
        try folder.write("A.app/PlugIns/Share.appex/Info.plist", strict)
        try folder.write("A.app/Frameworks/F.framework/Info.plist", strict)
        let found = try read(folder.path + "/A.app")
        #expect(found.map(\.role) == [.app, .appExtension])
        #expect(found.map(\.bundleName) == ["A.app", "Share.appex"])
        #expect(found.map(\.declaration.bundleID) == ["com.example.app", "com.example.share"])
        let one = try DeclarationReader.readOne(path: folder.path + "/A.app", standardInput: { [] })
        #expect(one.bundleID == "com.example.app" && one.source == folder.path + "/A.app/Info.plist")
        #expect(one.notes.count == 1 && one.notes.first?.contains("Share.appex") == true)
    }

    @Test("the Info.plist of a macOS app is read from Contents")
    func macOSApp() throws {
        let folder = try Folder()
        try folder.write("A.app/Contents/Info.plist", free)
        try folder.write("A.app/Contents/PlugIns/S.appex/Contents/Info.plist", strict)
        #expect(try read(folder.path + "/A.app").map(\.role) == [.app, .appExtension])
    }

    @Test("a single extension and a directory with an Info.plist are read")
    func otherDirectories() throws {
        let folder = try Folder()
        try folder.write("S.appex/Info.plist", strict)
        try folder.write("plain/Info.plist", free)
        #expect(try DeclarationReader.readOne(path: folder.path + "/S.appex").bundleID == "com.example.share")
        #expect(try DeclarationReader.readOne(path: folder.path + "/S.appex").notes.isEmpty)
        #expect(try DeclarationReader.readOne(path: folder.path + "/plain").members.count == 1)
        #expect(throws: DeclarationError(source: folder.path, what: "no Info.plist in the directory")) {
            try read(folder.path)
        }
    }

    @Test("an .xcarchive is read through its Products; with several apps the user must choose")
    func archive() throws {
        let folder = try Folder()
        try folder.write("X.xcarchive/Info.plist", Array("{\"ApplicationProperties\":{}}".utf8))
        try folder.write("X.xcarchive/Products/Applications/A.app/Info.plist", free)
        #expect(try DeclarationReader.readOne(path: folder.path + "/X.xcarchive").bundleID == "com.example.app")
        try folder.write("X.xcarchive/Products/Applications/B.app/Contents/Info.plist", strict)
        #expect(try read(folder.path + "/X.xcarchive").count == 2)
        #expect {
            try DeclarationReader.readOne(path: folder.path + "/X.xcarchive")
        } throws: {
            "\($0)".contains("A.app, B.app")
        }
    }

    @Test("an .ipa is read with libzip, and sources name the archive and the entry")
    func ipa() throws {
        let folder = try Folder()
        let path = try folder.archive(
            "a.ipa",
            [
                "Payload/": [], "Payload/A.app/PlugIns/S.appex/Info.plist": strict,
                "Payload/A.app/Frameworks/F.framework/Info.plist": strict, "Payload/A.app/Info.plist": free,
                "Payload/A.app/Watch/W.app/Info.plist": strict,
            ])
        let found = try read(path)
        #expect(found.map(\.role) == [.app, .appExtension])
        #expect(found.first?.declaration.source == path + "!Payload/A.app/Info.plist")
        #expect(found.map(\.text) == [free, strict].map { String(decoding: $0, as: UTF8.self) })
        #expect(try DeclarationReader.readOne(path: path).notes.count == 1)
    }

    @Test("the error for a damaged archive, an empty one or one with a broken list names the file")
    func brokenArchives() throws {
        let folder = try Folder()
        let empty = try folder.archive("empty.ipa", ["readme.txt": [1]])
        #expect { try read(empty) } throws: { "\($0)".contains("no Payload/*.app/Info.plist") }
        let broken = try folder.archive("broken.ipa", ["Payload/A.app/Info.plist": Array(free.prefix(200))])
        #expect { try read(broken) } throws: { "\($0)".hasPrefix(broken + "!Payload/A.app/Info.plist:") }
        let whole = try Data(contentsOf: URL(fileURLWithPath: broken))
        let cut = try folder.write("cut.ipa", whole.dropLast(30))
        #expect { try read(cut) } throws: { ($0 as? DeclarationError)?.source == cut }
        let large = [UInt8](repeating: 0x20, count: DeclarationLimits.fileBytes + 1)
        let bomb = try folder.archive("bomb.ipa", ["Payload/A.app/Info.plist": large])
        #expect { try read(bomb) } throws: { "\($0)".contains("larger than 16 MiB") }
    }

    @Test("the error for a missing, unreadable or oversized file names the file")
    func badFiles() throws {
        let folder = try Folder()
        #expect(throws: DeclarationError(source: "/nonexistent/x.plist", what: "no such file")) {
            try read("/nonexistent/x.plist")
        }
        let large = try folder.write(
            "large.plist", [UInt8](repeating: 0x20, count: DeclarationLimits.fileBytes + 1))
        #expect { try read(large) } throws: { "\($0)".contains("larger than 16 MiB") }
        let wrong = try folder.write("wrong.plist", Array("<plist><array>\n</array></plist>".utf8))
        #expect(
            throws: DeclarationError(
                source: wrong, line: 1, what: "the root must be a dictionary, but it is an array")
        ) { try read(wrong) }
    }

    @Test("an XML file up to the limit is read whole")
    func largestFile() throws {
        let folder = try Folder()
        let end = Array("\n<key>last</key><true/></dict></plist>".utf8)
        let start = Array("<plist><dict><key>NSAppTransportSecurity</key><dict/>".utf8)
        let blanks = [UInt8](repeating: 0x20, count: DeclarationLimits.fileBytes - start.count - end.count)
        let path = try folder.write("largest.plist", start + blanks + end)
        #expect(try read(path).count == 1)
    }

    @Test("a dash means standard input")
    func standardInput() throws {
        let one = try DeclarationReader.readOne(path: "-", standardInput: { free })
        #expect(one.source == "-" && one.members.count == 1)
        #expect { try DeclarationReader.readOne(path: "-", standardInput: { [] }) } throws: {
            ($0 as? DeclarationError)?.source == "-"
        }
        struct Closed: Error {}
        #expect(throws: DeclarationError.self) {
            try DeclarationReader.readOne(path: "-", standardInput: { throw Closed() })
        }
    }
}
