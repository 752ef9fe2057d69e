import ATSPolicy
import Declarations
import Seeded
import Testing

/// Forms in which people have a dictionary, other than a whole property list.
@Suite("pasted and printed dictionaries")
struct PastedFormTests {
    private func parse(_ text: String, _ source: String = "-") throws -> Declaration {
        try DeclarationReader.parse(Array(text.utf8), source: source)
    }

    private static let fragment = """
        <key>NSAppTransportSecurity</key>
        <dict>
            <key>NSAllowsArbitraryLoads</key>
            <true/>
        </dict>
        """

    @Test(
        "a part of a property list is read, with its lines",
        arguments: [
            (fragment, 3), ("\n\n   " + fragment, 5), ("```xml\n" + fragment + "\n```\n", 4),
            ("<!-- for tests -->\n" + fragment, 4),
            ("<dict>\n<key>NSAllowsArbitraryLoads</key><true/></dict>", 2),
            ("<key>NSAllowsArbitraryLoads</key>\n<true/>", 1),
            ("  \n<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist><dict>\(fragment)</dict></plist>", 5),
        ])
    func fragments(text: String, line: Int) throws {
        let declaration = try parse(text)
        #expect(declaration.members.map(\.key) == ["NSAllowsArbitraryLoads"])
        #expect(declaration.members.first?.keyLine == line)
    }

    @Test("copied entries are those of NSExceptionDomains")
    func entries() throws {
        let text = "<key>a.com</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>"
        let declaration = try parse(text)
        #expect(declaration.entries.map(\.key) == ["a.com"] && declaration.notes.count == 1)
    }

    private static let printed = [
        """
        Dict {
            NSExceptionDomains = Dict {
                localhost:3000 = Dict {
                    NSExceptionAllowsInsecureHTTPLoads = true
                    NSExceptionMinimumTLSVersion = TLSv1.0
                }
            }
            NSAllowsArbitraryLoads = true
        }
        """,
        """
        {
          "NSExceptionDomains" => {
            "localhost:3000" => {
              "NSExceptionAllowsInsecureHTTPLoads" => 1
              "NSExceptionMinimumTLSVersion" => "TLSv1.0"
            }
          }
          "NSAllowsArbitraryLoads" => true
        }
        """,
        """
        {
            NSExceptionDomains =     {
                "localhost:3000" =         {
                    NSExceptionAllowsInsecureHTTPLoads = 1;
                    NSExceptionMinimumTLSVersion = "TLSv1.0";
                };
            };
            NSAllowsArbitraryLoads = 1;
        }
        """,
    ]

    @Test("the output of PlistBuddy, plutil -p and defaults read is the dictionary", arguments: printed)
    func toolOutput(text: String) throws {
        let declaration = try parse(text)
        #expect(declaration.members.map(\.key) == ["NSExceptionDomains", "NSAllowsArbitraryLoads"])
        #expect(declaration.members.last?.node.value == .boolean(true))
        let keys = try #require(declaration.entries.keys(of: "localhost:3000"))
        #expect(keys.map(\.node.value) == [.boolean(true), .string("TLSv1.0")])
        #expect(keys.first?.keyLine == 4)
    }

    @Test("a whole Info.plist in these forms has its other keys", arguments: ["Dict {\n", "{\n"])
    func whole(open: String) throws {
        let isBuddy = open.hasPrefix("Dict")
        let text =
            isBuddy
            ? "Dict {\n    CFBundleIdentifier = com.example.app\n    UIBackgroundModes = Array {\n        audio\n    }\n"
                + "    NSAppTransportSecurity = Dict {\n        NSAllowsLocalNetworking = true\n    }\n}"
            : "{\n  \"CFBundleIdentifier\" => \"com.example.app\"\n  \"UIBackgroundModes\" => [\n    0 => \"audio\"\n  ]\n"
                + "  \"NSAppTransportSecurity\" => {\n    \"NSAllowsLocalNetworking\" => true\n  }\n}"
        let declaration = try parse(text)
        #expect(declaration.bundleID == "com.example.app")
        #expect(declaration.members.map(\.key) == ["NSAllowsLocalNetworking"] && !declaration.isUnset)
    }

    @Test("a known kind of file without the dictionary is reported as such")
    func unset() throws {
        for text in [#"{"CFBundleIdentifier": "a"}"#, #"{"expo": {"ios": {}}}"#, #"{"appId": "a", "webDir": "www"}"#] {
            let declaration = try parse(text)
            #expect(declaration.isUnset && declaration.notes.first?.contains("secure defaults") == true, "\(text)")
        }
        #expect(try !parse("{}").isUnset)
    }

    @Test("random changes of each form end in a dictionary or an error", arguments: printed + [fragment])
    func mutated(text: String) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: Array("{}=;\"[]:\n- ".utf8), at: place)
                }
                if bytes.isEmpty { bytes = [0x20] }
            }
            for source in ["-", "project.yml", "Project.swift", "config.xml"] {
                do { _ = try DeclarationReader.parse(bytes, source: source) } catch { #expect(!"\(error)".isEmpty) }
            }
        }
    }
}
