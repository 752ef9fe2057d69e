package import ATSPolicy

extension SampleLoads {
    /// A dictionary with an entry that ``cleartext(_:)`` needs, and one that no load needs.
    package static var declaration: Declaration {
        func entry(_ host: String, line: Int) -> PropertyMember {
            let key = PropertyMember(key: ATSKey.insecureHTTP, keyLine: line + 1, node: PropertyNode(.boolean(true)))
            return PropertyMember(key: host, keyLine: line, node: PropertyNode(.dictionary([key])))
        }
        let entries = [entry("open.lab.test", line: 8), entry("old.lab.test", line: 12)]
        var declaration = Declaration.secureDefaults
        declaration.source = "App/Info.plist"
        declaration.line = 5
        declaration.members = [
            PropertyMember(key: ATSKey.exceptionDomains, keyLine: 6, node: PropertyNode(.dictionary(entries)))
        ]
        return declaration
    }
}
