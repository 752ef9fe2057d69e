import ATSPolicy
import Declarations
import Foundation
import Testing

@Suite("declarations in source trees")
struct SourceFormTests {
    private func members(_ bytes: [UInt8], _ source: String = "Info.plist") throws -> [String] {
        try DeclarationReader.parse(bytes, source: source).members.map(\.key)
    }

    private func refusal(_ text: String) -> DeclarationError? {
        do {
            _ = try DeclarationReader.parse(Array(text.utf8), source: "Info.plist")
            return nil
        } catch {
            return error
        }
    }

    private static let xml = """
        <?xml version="1.0" encoding="UTF-16"?>
        <plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict><key>NSAllowsLocalNetworking</key><true/></dict></dict></plist>
        """

    @Test("UTF-16 is read with or without a mark", arguments: [true, false], [true, false])
    func utf16(isBigEndian: Bool, hasMark: Bool) throws {
        let units = (hasMark ? [0xFEFF] : []) + Array(Self.xml.utf16)
        let bytes = units.flatMap {
            isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)]
        }
        #expect(try members(bytes) == ["NSAllowsLocalNetworking"])
    }

    @Test(
        "an old-style list is read, and its texts stay texts",
        arguments: [
            ("{ NSAppTransportSecurity = { NSAllowsArbitraryLoads = YES; }; }", PropertyValue.string("YES")),
            ("// !$*UTF8*$!\n{NSAppTransportSecurity={NSAllowsArbitraryLoads=1;};}", .boolean(true)),
            ("/* x */ NSAppTransportSecurity = {\n \"NSAllowsArbitraryLoads\" = 0;};", .boolean(false)),
        ])
    func oldStyle(text: String, value: PropertyValue) throws {
        let declaration = try DeclarationReader.parse(Array(text.utf8), source: "a.txt")
        #expect(declaration.members.map(\.node.value) == [value])
        #expect(declaration.notes.isEmpty == (value == .string("YES")))
    }

    @Test("other broken text is not read as old-style", arguments: ["{\"a\": }", "{", "hello", "{\"a\" 1}", "{a = 1}"])
    func notOldStyle(text: String) {
        #expect(refusal(text) != nil)
    }

    @Test(
        "the error for a list with preprocessor lines names the build setting",
        arguments: [
            "<plist><dict>\n#ifdef DEBUG\n<key>a</key><true/>\n#endif\n</dict></plist>", "#include \"x.h\"\n<plist/>",
            "<plist><dict>\r\n  # if X\r\n<key>a</key>\r\n</dict></plist>",
        ])
    func preprocessor(text: String) {
        let error = refusal(text)
        #expect(error?.what.contains("INFOPLIST_PREPROCESS") == true)
        #expect(error?.line == (text.hasPrefix("#") ? 1 : 2))
    }

    @Test("CR, LF and CRLF each end a line", arguments: ["\r", "\n", "\r\n"])
    func lines(end: String) throws {
        let xml = ["<plist>", "<dict>", "<key>NSAppTransportSecurity</key>", "<dict/>", "</dict>", "</plist>"]
        let json = ["{", "\"a\": 1,", "\"NSAppTransportSecurity\": {}", "}"]
        for text in [xml, json] {
            let bytes = Array(text.joined(separator: end).utf8)
            #expect(try DeclarationReader.parse(bytes, source: "a").line == 3)
        }
    }

    @Test("an Expo configuration is read at the keys that set the Info.plist")
    func expo() throws {
        let text = """
            {"expo": {"name": "x", "ios": {"bundleIdentifier": "com.example.x",
             "infoPlist": {"NSAppTransportSecurity": {"NSAllowsArbitraryLoads": true}}}}}
            """
        let declaration = try DeclarationReader.parse(Array(text.utf8), source: "app.json")
        #expect(declaration.members.map(\.key) == ["NSAllowsArbitraryLoads"] && declaration.platform == .ios)
        #expect(declaration.bundleID == "com.example.x" && declaration.strays.isEmpty && declaration.notes.isEmpty)
        let silent = try DeclarationReader.parse(Array(#"{"expo": {"name": "x"}}"#.utf8), source: "app.json")
        #expect(silent.members.isEmpty && silent.strays.isEmpty && silent.notes.count == 1)
    }

    @Test("ATS keys at a place without effect are strays, at any depth")
    func nested() throws {
        let text = """
            {"CFBundleName": "a", "NSExtension": {"x": [{"NSAppTransportSecurity": {}}]},
             "NSExceptionMinimumTLSVersion": "TLSv1.0"}
            """
        let declaration = try DeclarationReader.parse(Array(text.utf8), source: "Info.plist")
        #expect(
            declaration.strays.map(\.keyPath) == [
                "NSExtension.x.0.NSAppTransportSecurity", "NSExceptionMinimumTLSVersion",
            ])
    }

    @Test(
        "an Info.plist for macOS is recognised",
        arguments: [
            (#""LSMinimumSystemVersion": "$(MACOSX_DEPLOYMENT_TARGET)""#, true), (#""LSUIElement": true"#, true),
            (#""LSMinimumSystemVersion": "12.0", "LSRequiresIPhoneOS": true"#, false), (#""CFBundleName": "a""#, false),
        ])
    func mac(member: String, isMac: Bool) throws {
        let declaration = try DeclarationReader.parse(Array("{\(member)}".utf8), source: "Info.plist")
        #expect((declaration.platform == .macos) == isMac)
    }

    @Test("a folder search finds files that can declare ATS, except excluded ones")
    func search() throws {
        let top = FileManager.default.temporaryDirectory.appending(path: "atsgate-search-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: top) }
        let files = [
            "App/Info.plist": "<plist><dict/></plist>", "App/Other.plist": "<plist><dict/></plist>",
            "App/ATS.plist": "<plist><dict><key>NSAppTransportSecurity</key><dict/></dict></plist>",
            "Pods/A/Info.plist": "", ".hidden/Info.plist": "", "Example/My-Info.plist": "",
            "x.framework/Info.plist": "",
            "mobile/app.json": #"{"expo": {}}"#, "mobile/package.json": "{}", "Built.app/Info.plist": "",
        ]
        for (path, text) in files {
            let url = top.appending(path: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        func found(_ patterns: [String]) -> [String] {
            DeclarationSearch(excluding: patterns).paths(in: top.path).map { String($0.dropFirst(top.path.count + 1)) }
        }
        let all = ["App/ATS.plist", "App/Info.plist", "Built.app", "Example/My-Info.plist", "mobile/app.json"]
        #expect(found([]) == all)
        #expect(found(["Example*", "App/*S.plist"]) == ["App/Info.plist", "Built.app", "mobile/app.json"])
        #expect(DeclarationSearch.isFolder(top.path) && !DeclarationSearch.isFolder(top.path + "/Built.app"))
    }
}
