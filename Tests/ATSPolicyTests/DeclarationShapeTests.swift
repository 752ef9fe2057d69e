import ATSPolicy
import Testing

/// The place of the ATS dictionary in a file, and the files that are rejected.
struct DeclarationShapeTests {
    private func read(_ root: PropertyValue) throws -> Declaration {
        try Declaration(root: PropertyNode(root, line: 1), source: "f.plist")
    }

    private func frees(_ root: PropertyValue) throws -> Bool {
        let judge = Judge(declaration: try read(root), profile: .iOS26)
        return judge.rule(on: LoadTarget(scheme: .http, host: "example.com", port: 80), loader: .app).permit != nil
    }

    @Test("a whole Info.plist, the outer key alone, and the bare dictionary are all read")
    func threeShapes() throws {
        let inner: PropertyValue = ["NSAllowsArbitraryLoads": true]
        #expect(try frees(["CFBundleIdentifier": "a.b", "NSAppTransportSecurity": inner]))
        #expect(try frees(["NSAppTransportSecurity": inner]))
        #expect(try frees(inner))
        let names = try read([
            "CFBundleIdentifier": "a.b", "MinimumOSVersion": "17.0", "DTPlatformVersion": "26.0",
            "NSAppTransportSecurity": inner,
        ])
        #expect(names.bundleID == "a.b" && names.minimumOSVersion == "17.0" && names.platformVersion == "26.0")
        #expect(names.source == "f.plist")
    }

    @Test("an Info.plist without the dictionary means the secure defaults")
    func absentMeansSecure() throws {
        let plain = try read(["CFBundleIdentifier": "a.b"])
        #expect(plain.members.isEmpty && plain.strays.isEmpty && plain.bundleID == "a.b")
        #expect(try read([:]).strays.isEmpty)
        #expect(try !frees([:]))
        #expect(Declaration.secureDefaults.strays.isEmpty)
    }

    @Test("a file with other keys only means the secure defaults, and is reported as a stray")
    func foreignDictionary() throws {
        #expect(try read(["hello": "world"]).strays.map(\.kind) == [.nothing])
        #expect(try !frees(["hello": "world"]))
    }

    @Test("ATS keys at the top of an Info.plist have no effect, and are reported as strays")
    func misplacedKeys() throws {
        let root: PropertyValue = ["CFBundleIdentifier": "a.b", "NSAllowsArbitraryLoads": true]
        let strays = try read(root).strays
        #expect(strays.map(\.keyPath) == ["NSAllowsArbitraryLoads"] && strays.map(\.kind) == [.outside])
        #expect(try !frees(root))
        #expect(try read(["CFBundleName": "a", "NSAppTransportSecurty": [:]]).strays.map(\.kind) == [.misspelt])
    }

    @Test("a bare dictionary with only a misspelled key is read as an ATS dictionary")
    func misspeltBareKey() throws {
        #expect(try read(["NSAllowArbitraryLoads": true]).members.map(\.key) == ["NSAllowArbitraryLoads"])
    }

    @Test("a root or an NSAppTransportSecurity of the wrong type is an error with its line")
    func wrongTypes() throws {
        #expect(
            throws: DeclarationError(
                source: "f.plist", line: 1, what: "the root must be a dictionary, but it is an array")
        ) { try read(["a"]) }
        #expect(
            throws: DeclarationError(
                source: "f.plist", keyPath: "NSAppTransportSecurity", line: 2,
                what: "NSAppTransportSecurity must be a dictionary, but it is a string")
        ) { try read(["CFBundleName": "a", "NSAppTransportSecurity": "YES"]) }
    }

    @Test("the last value of a repeated key counts")
    func repeatedKey() throws {
        let root = PropertyValue.dictionary([
            PropertyMember(key: "NSAllowsArbitraryLoads", keyLine: 4, node: PropertyNode(false)),
            PropertyMember(key: "NSAllowsArbitraryLoads", keyLine: 9, node: PropertyNode(true)),
        ])
        #expect(try frees(root))
        let twice = PropertyValue.dictionary([
            PropertyMember(key: "NSAppTransportSecurity", keyLine: 4, node: PropertyNode([:])),
            PropertyMember(key: "NSAppTransportSecurity", keyLine: 9, node: PropertyNode(root)),
        ])
        let stray = StrayKey(keyPath: "NSAppTransportSecurity", line: 9, kind: .repeated(firstLine: 4))
        #expect(try frees(twice) && read(twice).strays == [stray])
    }

    @Test("an error reads FILE:LINE: KEYPATH: WHAT")
    func errorText() {
        let error = DeclarationError(source: "a.plist", keyPath: "K", line: 3, what: "is wrong")
        #expect("\(error)" == "a.plist:3: K: is wrong")
        #expect("\(DeclarationError(source: "a.plist", what: "is wrong"))" == "a.plist: is wrong")
    }
}
