import ATSPolicy
import Declarations
import TestSupport
import Testing

/// Files of tools that write the Info.plist.
@Suite("project files")
struct ProjectFormTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func read(_ name: String, _ text: String) throws -> [LoadedDeclaration] {
        try DeclarationReader.read(path: try folder.write(name, Array(text.utf8)))
    }

    private static let infoPlist = """
        <plist><dict><key>NSAppTransportSecurity</key><dict><key>NSAllowsLocalNetworking</key><true/></dict></dict></plist>
        """

    // MARK: - Tauri, Capacitor, Expo

    @Test("Tauri's keys are found, with the bundle's identifier and the line")
    func tauri() throws {
        let text = """
            {"identifier": "com.example.app", "bundle": {"macOS": {"infoPlist": {
             "NSAppTransportSecurity": {"NSAllowsArbitraryLoads": true}}}}}
            """
        let found = try #require(try read("tauri.conf.json", text).first?.declaration)
        #expect(found.members.map(\.key) == ["NSAllowsArbitraryLoads"] && found.bundleID == "com.example.app")
        #expect(found.line == 2 && found.place?.keyPath == "bundle.macOS.infoPlist")
    }

    @Test("the Info.plist that Tauri merges is read, by its usual name and by a path in the configuration")
    func tauriSibling() throws {
        _ = try folder.write("Info.plist", Array(Self.infoPlist.utf8))
        let usual = try read("tauri.conf.json", #"{"bundle": {"active": true, "macOS": {}}}"#)
        #expect(usual.map(\.declaration.members).flatMap { $0 }.map(\.key) == ["NSAllowsLocalNetworking"])
        #expect(usual.first?.declaration.source?.hasSuffix("/Info.plist") == true)
        _ = try folder.write("Other.plist", Array(Self.infoPlist.utf8))
        let named = try read("tauri.conf.json", #"{"bundle": {"macOS": {"infoPlist": "Other.plist"}}}"#)
        #expect(named.first?.declaration.source?.hasSuffix("/Other.plist") == true)
    }

    @Test("Tauri's exceptionDomain is an entry that allows http, with subdomains")
    func tauriHost() throws {
        let text = #"{"bundle": {"macOS": {"exceptionDomain": "a.example.com"}}}"#
        let found = try #require(try read("tauri.conf.json", text).first?.declaration)
        let keys = try #require(found.entries.keys(of: "a.example.com"))
        #expect(Set(keys.map(\.key)) == [ATSKey.insecureHTTP, ATSKey.includesSubdomains])
    }

    @Test("Capacitor's dictionary is in the Info.plist of its Xcode project")
    func capacitor() throws {
        let text = #"{"appId": "com.example.app", "webDir": "www"}"#
        #expect(try read("capacitor.config.json", text).first?.declaration.isUnset == true)
        _ = try folder.write("ios/App/App/Info.plist", Array(Self.infoPlist.utf8))
        let found = try #require(try read("capacitor.config.json", text).first?.declaration)
        #expect(found.members.count == 1 && found.notes.count == 1)
    }

    @Test("Expo's keys are found with and without the outer key")
    func expo() throws {
        let keys = #""ios": {"infoPlist": {"NSAppTransportSecurity": {"NSAllowsArbitraryLoads": true}}}"#
        for text in [#"{"expo": {\#(keys)}}"#, "{\(keys)}"] {
            #expect(try read("app.json", text).first?.declaration.members.count == 1, "\(text)")
        }
    }

    // MARK: - Cordova

    private func cordova(_ content: String) throws -> Declaration {
        let text = "<?xml version='1.0'?>\n<widget id=\"com.example.app\">\n\(content)\n</widget>"
        return try #require(try read("config.xml", text).first?.declaration)
    }

    @Test("config-file and edit-config for the Info.plist count, for iOS and for every platform")
    func configFile() throws {
        let list = "<dict><key>NSAllowsArbitraryLoads</key><true/></dict>"
        for element in [
            "<config-file target=\"*-Info.plist\" parent=\"NSAppTransportSecurity\">\(list)</config-file>",
            "<edit-config file=\"*-Info.plist\" target=\"NSAppTransportSecurity\" mode=\"merge\">\(list)</edit-config>",
        ] {
            for content in [element, "<platform name=\"ios\">\(element)</platform>"] {
                let found = try cordova(content)
                #expect(found.members.map(\.key) == ["NSAllowsArbitraryLoads"] && found.members.first?.keyLine == 3)
                #expect(found.bundleID == "com.example.app")
            }
            #expect(try cordova("<platform name=\"android\">\(element)</platform>").isUnset)
        }
    }

    /// Source of the expected keys: apache/cordova-ios, lib/prepare.js, writeATSEntries.
    @Test("access becomes the keys that cordova-ios writes")
    func access() throws {
        #expect(try cordova("<access origin=\"*\"/>").members.map(\.key) == [ATSKey.arbitraryLoads])
        let web = try cordova("<access origin=\"*\" allows-arbitrary-loads-in-web-content=\"true\"/>")
        #expect(web.members.map(\.key) == [ATSKey.arbitraryLoads, ATSKey.inWebContent])
        let hosts = try cordova(
            """
            <access origin="http://*.example.com/x" minimum-tls-version="TLSv1.1" requires-forward-secrecy="false"/>
            <access origin="https://plain.example.org"/><access origin="tel:*"/><allow-navigation href="*://b.example.net/*"/>
            """)
        #expect(Set(hosts.entries.map(\.key)) == ["example.com", "plain.example.org", "b.example.net"])
        let keys = try #require(hosts.entries.keys(of: "example.com"))
        #expect(
            Set(keys.map(\.key)) == [
                ATSKey.includesSubdomains, ATSKey.minimumTLS, ATSKey.forwardSecrecy, ATSKey.insecureHTTP,
            ])
        #expect(hosts.entries.keys(of: "plain.example.org")?.isEmpty == true)
        #expect(hosts.entries.keys(of: "b.example.net")?.map(\.key) == [ATSKey.insecureHTTP])
        #expect(try cordova("").isUnset)
    }

    @Test("of a key in access and in config-file, that of access counts")
    func merged() throws {
        let found = try cordova(
            """
            <access origin="*"/><config-file target="*-Info.plist" parent="NSAppTransportSecurity">
            <dict><key>NSAllowsArbitraryLoads</key><false/><key>NSAllowsLocalNetworking</key><true/></dict></config-file>
            """)
        #expect(found.members.last(ATSKey.arbitraryLoads)?.node.value == .boolean(true))
        #expect(found.members.last(ATSKey.localNetworking)?.node.value == .boolean(true))
    }

    // MARK: - XcodeGen

    private static let project = """
        # a project
        name: App
        settingGroups: &groups {base: {SWIFT_VERSION: "5.9"}, list: [a, 'b: c', "d"]}
        targetTemplates:
          Base:
            info:
              properties:
                NSAppTransportSecurity: {NSAllowsLocalNetworking: yes}
        targets:
          App:
            type: application
            templates: [Base]
            preBuildScripts:
            - script: |
                targets:
                  echo "a: b"
              name: Say
            info:
              path: Info.plist
              properties:
                CFBundleIdentifier: com.example.app   # the id
                UIBackgroundModes:
                  - audio
                NSAppTransportSecurity:
                  NSExceptionDomains:
                    "a.example.com":
                      NSExceptionAllowsInsecureHTTPLoads: true
                      NSExceptionMinimumTLSVersion: TLSv1.1
          Share:
            type: app-extension
            info: {path: S.plist, properties: {NSExtension: {}}}
          Tests:
            type: bundle.unit-test
        """

    @Test("the targets of XcodeGen are read with their templates, tests left out")
    func xcodeGen() throws {
        let found = try read("project.yml", Self.project)
        #expect(found.map(\.bundleName) == ["App", "Share"])
        #expect(found.map(\.role) == [.app, .appExtension])
        let app = try #require(found.first?.declaration)
        #expect(Set(app.members.map(\.key)) == [ATSKey.exceptionDomains, ATSKey.localNetworking])
        #expect(app.entries.first?.keyLine == 26 && app.bundleID == "com.example.app")
        #expect(app.entries.keys(of: "a.example.com")?.map(\.node.value) == [.boolean(true), .string("TLSv1.1")])
        #expect(found.last?.declaration.isUnset == true)
        #expect(try DeclarationReader.readOne(path: folder.path + "/project.yml").members.count == 2)
    }

    @Test("one product of several is named after a number sign")
    func named() throws {
        let text = """
            targets:
              One: {type: application, info: {properties: {NSAppTransportSecurity: {NSAllowsLocalNetworking: true}}}}
              Two: {type: application, info: {properties: {}}}
            """
        let path = try folder.write("project.yml", Array(text.utf8))
        #expect { try DeclarationReader.readOne(path: path) } throws: { "\($0)".contains("project.yml#One") }
        #expect(try DeclarationReader.readOne(path: path + "#One").members.count == 1)
        #expect(try DeclarationReader.readOne(path: path + "#Two").isUnset)
        #expect { try DeclarationReader.readOne(path: path + "#Three") } throws: { "\($0)".contains("One, Two") }
    }

    @Test(
        "what is outside of the supported part of YAML is an error with its line",
        arguments: [
            ("targets:\n  a: !tag x", 2), ("targets:\n\ta: x", 2), ("targets: {a: b", 1), ("targets:\n  a: *none", 2),
            ("targets:\n  a: 1\n   b: 2", 3), ("targets: \"x", 1), ("targets:\n  a\n b: c", 3),
        ])
    func badYAML(text: String, line: Int) {
        #expect { try read("project.yml", text) } throws: { error in
            (error as? DeclarationError).map { $0.line == line && $0.what.hasPrefix("YAML") } ?? false
        }
    }

    @Test("aliases of aliases end at the limit for values")
    func bomb() {
        let lines = (1...40).map { "a\($0): &x\($0) [*x\($0 - 1), *x\($0 - 1)]" }
        let text = "a0: &x0 [1, 2]\n" + lines.joined(separator: "\n") + "\ntargets: {}\n"
        #expect { try read("project.yml", text) } throws: { "\($0)".contains("YAML") }
    }

    // MARK: - Tuist

    @Test("literals in a manifest of Tuist are read, named by their target")
    func tuist() throws {
        let text = #"""
            import ProjectDescription
            // "NSAppTransportSecurity": ["NSAllowsArbitraryLoads": true]
            let project = Project(name: "P", targets: [
                .target(name: "App", product: .app, infoPlist: .extendingDefault(with: [
                    "CFBundleShortVersionString": "\(version)",
                    "NSAppTransportSecurity": .dictionary([
                        "NSAllowsLocalNetworking": true, /* a /* nested */ comment */
                        "NSExceptionDomains": ["a.example.com": ["NSExceptionMinimumTLSVersion": .string("TLSv1.1")]],
                    ]),
                ])),
            ])
            """#
        let found = try read("Project.swift", text)
        #expect(found.map(\.bundleName) == ["App"])
        let app = try #require(found.first?.declaration)
        #expect(app.members.map(\.key) == [ATSKey.localNetworking, ATSKey.exceptionDomains])
        #expect(app.members.first?.keyLine == 7 && app.entries.map(\.key) == ["a.example.com"])
    }

    @Test("a value that is not a literal is an error, and a manifest without the key gets the defaults")
    func tuistExpression() throws {
        let head = "import ProjectDescription\nlet p = Project(name: \"P\", infoPlist: .extendingDefault(with: ["
        for value in ["keys", "[\"NSAllowsArbitraryLoads\": flag]", "[\"a\": true].merging(b)", "[true ? 1 : 2]"] {
            let text = head + "\"NSAppTransportSecurity\": " + value + "]))"
            #expect { try read("Project.swift", text) } throws: { "\($0)".contains("tuist generate") }
        }
        #expect(try read("Project.swift", head + "]))").first?.declaration.isUnset == true)
    }

    // MARK: - Names of files

    @Test(
        "files that are programs, build settings or TOML have an error with the way out",
        arguments: [
            ("app.config.js", "expo config"), ("a.xcconfig", "INFOPLIST_FILE"), ("Tauri.toml", "built app"),
        ])
    func refused(name: String, part: String) {
        #expect { try read(name, "a = 1") } throws: { "\($0)".contains(part) }
    }
}
