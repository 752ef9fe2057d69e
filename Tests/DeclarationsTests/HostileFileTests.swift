import ATSPolicy
import Declarations
import Foundation
import TestSupport
import Testing

/// Files made to crash the process that reads them, or to fill its memory.
struct HostileFileTests {
    private func failure(_ bytes: some Sequence<UInt8>) -> DeclarationError? {
        do throws(DeclarationError) {
            _ = try DeclarationReader.parse(Array(bytes), source: "f")
            return nil
        } catch {
            return error
        }
    }

    private func xml(_ encoding: String?, _ body: String = Self.plain) -> String {
        "<?xml version=\"1.0\"" + (encoding.map { " encoding=\"\($0)\"" } ?? "") + "?>\n" + body
    }

    private static let plain = "<plist><dict>\n<key>NSAllowsArbitraryLoads</key><true/></dict></plist>"

    private func utf16(_ text: String, isBigEndian: Bool, mark: Bool = true) -> [UInt8] {
        ((mark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? bytes : bytes.reversed()
        }
    }

    @Test("UTF-8, US-ASCII and UTF-16 with a mark are read, with the lines of the file")
    func encodings() throws {
        let readable = [nil, "UTF-8", "utf-8", "US-ASCII"].map { Array(xml($0).utf8) }
        let wide = ["UTF-16", nil].map { xml($0) } + [Self.plain, "{\n\"NSAllowsArbitraryLoads\": true}"]
        let files = readable + wide.flatMap { [utf16($0, isBigEndian: true), utf16($0, isBigEndian: false)] }
        for bytes in files {
            let read = try DeclarationReader.parse(bytes, source: "f")
            #expect(read.members.last("NSAllowsArbitraryLoads")?.node.value == .boolean(true))
        }
        let wrong = "<plist><dict>\n<key>a</key><integer>x</integer></dict></plist>"
        #expect(failure(xml("UTF-8", wrong).utf8)?.line == 3)
        #expect(failure(utf16(xml("UTF-16", wrong), isBigEndian: false))?.line == 3)
    }

    @Test(
        "every other encoding is rejected by name before a parser uses it",
        arguments: ["UTF-7", "UTF-32", "ISO-8859-1", "EBCDIC-CP-US", "UCS-4", "UTF-16LE", "HZ"])
    func otherEncodings(name: String) {
        #expect(failure(xml(name).utf8)?.what.contains("XML encoding \(name): save the file as UTF-8") == true)
        let spaced = "<?xml version='1.0'\n encoding = '\(name)' ?>"
        #expect(failure(spaced.utf8)?.what.contains("encoding \(name):") == true)
    }

    @Test("UTF-7, which could hide entities and instructions, is rejected")
    func hiddenInUTF7() {
        // +ADw- is <, +ACE- is !, +AD8- is ?. Source: RFC 2152.
        let bomb =
            "+ADw-+ACE-DOCTYPE plist [+ADw-+ACE-ENTITY a \"aaaa\">]><plist><dict><key>&a;</key><true/></dict></plist>"
        #expect(failure(xml("UTF-7", bomb).utf8)?.what.contains("UTF-7") == true)
        #expect(
            failure(xml("UTF-7", "+ADw-+AD8-b+AD8-+AD4-<plist><dict/></plist>").utf8)?.what.contains("UTF-7") == true)
    }

    @Test(
        "an XML declaration that is broken or names the wrong encoding is rejected",
        arguments: [
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?>", "<?xml encoding=\"UTF-8\" version=\"1.0\"?>",
            "<?xml version=\"1.0\" encoding=\"UTF-8\" encoding=\"UTF-7\"?>", "<?xml version=\"1.0\" encoding=UTF-8?>",
            "<?xml version=\"1.0\" encoding=\"\"?>", "<?xml version=\"1.0\" encoding=\"UTF-8'?>",
            "<?xml version=\"1.0\"",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"" + String(repeating: " ", count: 2_000) + "?>", "<?xml ?>",
        ])
    func brokenDeclarations(declaration: String) {
        #expect(failure((declaration + Self.plain).utf8)?.line == 1)
    }

    @Test("non-ASCII text in US-ASCII, and incomplete pairs or units in UTF-16, are rejected")
    func untrueEncodings() {
        let key = "<plist><dict><key>\u{E4}</key><true/></dict></plist>"
        #expect(failure(xml("US-ASCII", key).utf8)?.what.contains("US-ASCII") == true)
        #expect(failure(utf16(xml("UTF-8"), isBigEndian: true))?.what.contains("UTF-8") == true)
        #expect(failure(utf16(Self.plain, isBigEndian: true).dropLast())?.what.contains("UTF-16") == true)
        #expect(failure([0xFE, 0xFF, 0xD8, 0x00, 0x00, 0x3C])?.what.contains("UTF-16") == true)
    }

    @Test("UTF-16 without a mark, which libxml2 would detect by its NUL bytes, is rejected")
    func unmarked() {
        let bomb = "<!DOCTYPE plist [<!ENTITY a \"aaaa\">]><plist><dict><key>&a;</key><true/></dict></plist>"
        for isBigEndian in [true, false] {
            #expect(failure(utf16(bomb, isBigEndian: isBigEndian, mark: false)) != nil)
        }
        #expect(failure(Array("<plist><dict><key>a".utf8) + [0] + Array("</key><true/></dict></plist>".utf8)) != nil)
    }

    /// A binary list with one string of `length` letters, and an array that refers to it `count` times.
    private func references(to length: Int, count: Int) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] {
            [0x12] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        let string = [0x5F] + number(length) + [UInt8](repeating: 0x61, count: length)
        let array = [0xAF] + number(count) + [UInt8](repeating: 0x02, count: count)
        let dictionary: [UInt8] = [0xD1, 0x03, 0x01]
        let key: [UInt8] = [0x51, 0x6B]
        let objects = [dictionary, array, string, key]
        var offset = 8
        var table: [UInt8] = []
        for object in objects {
            table += number(offset).dropFirst()
            offset += object.count
        }
        let trailer =
            [UInt8](repeating: 0, count: 6) + [4, 1]
            + [objects.count, 0, offset].flatMap { value in
                (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
            }
        return Array("bplist00".utf8) + objects.flatMap(\.self) + table + trailer
    }

    @Test("each reference to a long string counts towards the limit, in a file and in an archive of 15 KB")
    func references() throws {
        #expect(failure(references(to: 1_000, count: 1_000)) == nil)
        let bomb = references(to: 50_000, count: 4_000)
        #expect(failure(bomb)?.what.contains("its values take more than") == true)
        let folder = try Folder()
        let path = try folder.archive("a.ipa", ["Payload/A.app/Info.plist": bomb])
        #expect(try Data(contentsOf: URL(filePath: path)).count < 15_000)
        #expect { try DeclarationReader.readOne(path: path) } throws: { "\($0)".contains("values take more than") }
    }

    @Test("many small values count towards the limit, in every format")
    func manyValues() {
        #expect(failure(references(to: 0, count: 720_000))?.what.contains("values take") == true)
        let json = "{\"a\":[" + String(repeating: "1,", count: 720_000) + "1]}"
        #expect(failure(json.utf8)?.what.contains("values take") == true)
        let xml = "<plist><dict><key>a</key><array>" + String(repeating: "<true/>", count: 720_000)
        #expect(failure(xml.utf8)?.what.contains("values take") == true)
    }

    @Test("an archive or a bundle is rejected if its lists together exceed the limit")
    func together() throws {
        let folder = try Folder()
        let large = references(to: 12_000_000, count: 1)
        let path = try folder.archive(
            "a.ipa",
            [
                "Payload/A.app/Info.plist": large, "Payload/A.app/PlugIns/B.appex/Info.plist": large,
                "Payload/A.app/PlugIns/C.appex/Info.plist": large,
            ])
        #expect { try DeclarationReader.readOne(path: path) } throws: { "\($0)".contains("unpack to more than 32 MiB") }
        let half = references(to: 10_000, count: 3_000)
        try folder.write("A.app/Info.plist", half)
        #expect(throws: Never.self) { try DeclarationReader.read(path: folder.path + "/A.app") }
        for name in ["B", "C"] { try folder.write("A.app/PlugIns/\(name).appex/Info.plist", half) }
        #expect { try DeclarationReader.read(path: folder.path + "/A.app") } throws: { "\($0)".contains("values take") }
    }
}
