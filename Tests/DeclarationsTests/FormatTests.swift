import ATSPolicy
import Declarations
import Foundation
import Testing

/// The same declaration in every format, with the lines of its keys.
struct FormatTests {
    private func parse(_ text: String) throws -> Declaration {
        try DeclarationReader.parse(Array(text.utf8), source: "f")
    }

    @Test("an XML property list is read with the lines of its keys")
    func xmlLines() throws {
        let read = try parse(
            Sample.xml(
                """
                <key>NSAllowsArbitraryLoads</key>
                <string>YES</string>
                <key>NSExceptionDomains</key>
                <dict>
                    <key>a.com</key>
                    <dict>
                        <key>NSExceptionMinimumTLSVersion</key>
                        <string>TLSv9</string>
                    </dict>
                </dict>
                """))
        #expect(read.bundleID == "com.example.app" && read.line == 6)
        #expect(read.members.last("NSAllowsArbitraryLoads")?.keyLine == 8)
        #expect(read.members.last("NSExceptionDomains")?.keyLine == 10)
        #expect(read.entries.last("a.com")?.keyLine == 12)
    }

    @Test("XML values keep their types")
    func xmlTypes() throws {
        let root = try PropertyFile(
            Array(
                """
                <plist><dict>
                <key>t</key><true/><key>f</key><false></false><key>i</key><integer> -7 </integer>
                <key>h</key><integer>0x1F</integer><key>r</key><real>1.5</real><key>s</key><string>a &amp; <![CDATA[<b>]]></string>
                <key>d</key><data> AQ ID </data><key>w</key><date>2024-01-01T00:00:00Z</date>
                <key>a</key><array><string/><integer>1</integer></array><key>e</key><dict/>
                </dict></plist>
                """.utf8), source: "f"
        ).root
        guard case .dictionary(let members) = root.value else { throw Unexpected() }
        let values = members.map(\.node.value)
        #expect(values.prefix(5) == [.boolean(true), .boolean(false), .integer(-7), .integer(31), .real(1.5)])
        #expect(values.dropFirst(5).prefix(3) == [.string("a & <b>"), .data([1, 2, 3]), .date])
        guard case .array(let nodes) = values[8] else { throw Unexpected() }
        #expect(nodes.map(\.value) == [.string(""), .integer(1)] && values[9] == .dictionary([]))
    }

    @Test("a binary property list distinguishes integers from Booleans")
    func binaryTypes() throws {
        let object: [String: Any] = [
            "CFBundleIdentifier": "com.example.ünï",
            "NSAppTransportSecurity": [
                "NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": 2,
                "NSExceptionDomains": ["a.com": ["NSExceptionMinimumTLSVersion": "TLSv1.3"]],
            ],
            "Padding": (0..<400).map { "\($0)" }, "Real": 1.5, "Blob": Data([1, 2]), "When": Date(),
        ]
        let bytes = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        let read = try DeclarationReader.parse(Array(bytes), source: "f")
        #expect(read.bundleID == "com.example.ünï")
        #expect(read.members.last("NSAllowsArbitraryLoads")?.node.value == .boolean(true))
        #expect(read.members.last("NSAllowsLocalNetworking")?.node.value == .integer(2))
        let keys = read.interpreted(for: .iOS26)
        #expect(keys.allowsLocalNetworking == false && keys.exceptions["a.com"]?.minimumTLS == .tls13)
    }

    @Test("JSON keeps lines and order, and distinguishes 1 from true")
    func json() throws {
        let read = try parse(
            """
            {
              "CFBundleIdentifier": "com.example.\\u00fc\\ud83d\\ude00",
              "NSAppTransportSecurity": {
                "NSAllowsArbitraryLoads": true,
                "NSAllowsLocalNetworking": 1,
                "NSExceptionDomains": { "a.com": [1.5, -2e3, "x"] }
              }
            }
            """)
        #expect(read.bundleID == "com.example.ü😀" && read.line == 3)
        #expect(read.members.map(\.key).first == "NSAllowsArbitraryLoads")
        #expect(read.members.map(\.keyLine) == [4, 5, 6])
        #expect(read.members.last("NSAllowsLocalNetworking")?.node.value == .integer(1))
    }

    @Test("a byte order mark and white space at the beginning are skipped")
    func byteOrderMark() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        #expect(try DeclarationReader.parse(mark + Array(Sample.arbitraryLoads.utf8), source: "f").members.count == 1)
        #expect(try DeclarationReader.parse(mark + Array("\n{}".utf8), source: "f").members.isEmpty)
        #expect(throws: DeclarationError.self) { try DeclarationReader.parse([0xFF, 0xFE, 0x3C, 0], source: "f") }
    }

    @Test("a repeated key is kept twice with both lines, in XML and JSON, and the last value counts")
    func repeatedKeys() throws {
        let xml = try parse(
            Sample.xml("<key>NSAllowsArbitraryLoads</key><true/>\n<key>NSAllowsArbitraryLoads</key><false/>"))
        #expect(xml.members.map(\.keyLine) == [8, 9])
        #expect(xml.interpreted(for: .iOS26).allowsArbitraryLoads == false)
        let json = try parse("{\"NSAllowsArbitraryLoads\":true,\n\"NSAllowsArbitraryLoads\":false}")
        #expect(json.members.map(\.keyLine) == [1, 2] && json.interpreted(for: .iOS26).allowsArbitraryLoads == false)
    }

    struct Unexpected: Error {}
}
