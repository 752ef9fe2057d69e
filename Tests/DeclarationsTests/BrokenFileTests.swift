import ATSPolicy
import Declarations
import Foundation
import Seeded
import Testing

/// Errors about unreadable files name the file, the key path and the line.
struct BrokenFileTests {
    private func failure(_ bytes: some Sequence<UInt8>) -> DeclarationError? {
        do throws(DeclarationError) {
            _ = try DeclarationReader.parse(Array(bytes), source: "f")
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "text that is not a declaration is rejected with its line",
        arguments: [
            ("", 1), ("  \n", 1), ("hello", 1), ("// strings\n{a=b;}", 1), ("{a=b;}", 1), ("[1]", 1),
            ("{\n\"a\": 01}", 2), ("{\"a\":1,}", 1), ("{\"a\" 1}", 1), ("{} x", 1), ("{\"a\":null}", 1),
            ("{\"a\":\"\n\"}", 1), ("{\"a\":\"\\q\"}", 1), ("{\"a\":\"\\ud800\"}", 1), ("{\"a\":tru}", 1),
            ("{\"a\":1.}", 1), ("{\n\n\"a\":[1,\n2", 4), ("<html>\n<body></body></html>", 1),
            ("<plist>\n<dict><true/></dict></plist>", 2), ("<plist><dict>\n<key>a</key></dict></plist>", 2),
            ("<plist><dict>\n<key>a</key><key>b</key></dict></plist>", 2),
            ("<plist><dict><key>a</key>\n<integer>x</integer></dict></plist>", 2),
            ("<plist><dict/>\n<dict/></plist>", 2), ("<plist><dict>\nx</dict></plist>", 2),
            ("<plist><dict><key>a</key>\n<set/></dict></plist>", 2), ("<plist>\n<string>x</string></plist>", 2),
            ("<plist><dict>\n<key>a</key><string><true/></string></dict></plist>", 2),
        ])
    func refused(text: String, line: Int) throws {
        let error = try #require(failure(text.utf8))
        #expect(error.source == "f" && error.line == line, "\(error)")
    }

    @Test("the error for a truncated XML file names the last line and the open keys")
    func truncatedXML() throws {
        let text = Sample.xml("<key>NSExceptionDomains</key>\n<dict>\n<key>a.com</key>\n<dict>\n")
        let cut = try #require(text.range(of: "<key>a.com</key>\n<dict>\n"))
        let error = try #require(failure(text[..<cut.upperBound].utf8))
        #expect((11...12).contains(error.line ?? 0), "\(error)")
        #expect(error.what.contains("NSAppTransportSecurity.NSExceptionDomains.a.com"))
    }

    @Test(
        "the error for an element without an end tag names it and its line",
        arguments: [
            ("<plist>\n<dict>\n<key>a</key>\n<true>\n<key>b</key></dict></plist>", 4, "<true> has no end tag"),
            ("<plist>\n<dict>\n<key>a</key>\n<dict>\n</dict>\n</plist>", 6, "<dict> in line 2 has no end tag"),
            ("<plist>\n<dict>\n<key>a</key>\n<array>\n</dict></plist>", 5, "<array> in line 4 has no end tag"),
            ("<plist>\n<dict>\n<key>a</key>\n<dict>\n", 4, "inside a: <dict> in line 4 has no end tag"),
        ])
    func withoutEndTag(text: String, line: Int, words: String) throws {
        let error = try #require(failure(text.utf8))
        #expect((line...line + 1).contains(error.line ?? 0) && error.what.contains(words), "\(error)")
        let entity = try #require(failure("<plist><dict><key>a</key>\n<string>x & y</string></dict></plist>".utf8))
        #expect(entity.line == 2 && !entity.what.contains("end tag"), "\(entity)")
    }

    @Test("the error for truncated JSON names the key path")
    func truncatedJSON() throws {
        let error = try #require(failure("{\"NSAppTransportSecurity\":{\n\"NSExceptionDomains\":{".utf8))
        #expect(error.keyPath == "NSAppTransportSecurity.NSExceptionDomains" && error.line == 2)
        #expect(error.what.contains("too early"))
    }

    @Test("every truncation of a valid file is rejected, in every format")
    func everyPrefix() throws {
        let object = ["NSAppTransportSecurity": ["NSAllowsArbitraryLoads": true]]
        let xml = Array(Sample.arbitraryLoads.utf8)
        let binary = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        let json = Array("{\"NSAppTransportSecurity\":{\"NSAllowsArbitraryLoads\":true}}".utf8)
        for whole in [xml.dropLast(1), ArraySlice(Array(binary)), json[...]] {
            #expect(failure(whole) == nil)
            for length in 0..<whole.count { #expect(failure(whole.prefix(length)) != nil) }
        }
    }

    @Test("entities declared in the document are rejected")
    func entities() {
        let bomb = "<!DOCTYPE plist [<!ENTITY a \"aaaa\">]><plist><dict><key>&a;</key><true/></dict></plist>"
        #expect(failure(bomb.utf8)?.what.contains("entities") == true)
    }

    @Test("processing instructions are rejected; one without data would end the process")
    func processingInstructions() {
        #expect(failure("<?xF-8b?><plist><dict/></plist>".utf8)?.what.contains("instruction") == true)
        #expect(
            failure("<?xml version=\"1.0\"?><?b?><plist><dict/></plist>".utf8)?.what.contains("instruction") == true)
        #expect(failure("<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist><dict/></plist>".utf8) == nil)
    }

    @Test("excessive nesting is rejected")
    func depth() {
        #expect(failure(String(repeating: "[", count: 100_000).utf8) != nil)
        #expect(failure(("<plist>" + String(repeating: "<array>", count: 5_000)).utf8) != nil)
    }

    @Test("a binary list with an object that contains itself is rejected")
    func cycle() {
        // An array whose only element is itself.
        let trailer: [UInt8] =
            [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8)
            + [0, 0, 0, 0, 0, 0, 0, 10]
        #expect(failure(Array("bplist00".utf8) + [0xA1, 0x00, 0x08] + trailer)?.what.contains("itself") == true)
    }

    @Test("mutated files give a declaration or an error, never a trap", arguments: [UInt64(1), 2, 3, 4])
    func mutation(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let object: [String: Any] = [
            "CFBundleIdentifier": "a", "NSAppTransportSecurity": ["NSAllowsArbitraryLoads": true, "N": [1, 2.5, "ü"]],
        ]
        let binary = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        let originals = [
            Array(binary), Array(Sample.arbitraryLoads.utf8), Array("{\"a\":[1,\"\\u00e4\",{\"b\":-1.5e3}]}".utf8),
        ]
        for _ in 0..<300 {
            for original in originals {
                var bytes = original
                for _ in 0...Int(random.next() % 4) {
                    bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
                }
                _ = failure(bytes)
            }
        }
    }
}
