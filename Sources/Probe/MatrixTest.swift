public import ATSPolicy

/// One of the tests of `nscurl --ats-diagnostics`: a name and the dictionary under which the URL is loaded. Order, names
/// and dictionaries are nscurl's. Source: Apple, Identifying the source of blocked connections; its output in Stack
/// Overflow 33225807 (observed); docs/law/nscurl.md#tests.
public struct MatrixTest: Sendable, Hashable {
    /// Headline of the section that contains the test.
    public let section: String
    public let name: String
    public let members: [PropertyMember]

    /// The 16 tests of a Mac that knows TLS 1.3, in order.
    public static func all(host: String) -> [MatrixTest] {
        let plain = MatrixTest(section: "Default ATS Secure Connection", name: "ATS Default Connection", members: [])
        let all = MatrixTest(
            section: "Allowing Arbitrary Loads", name: "Allow All Loads",
            members: [PropertyMember(key: ATSKey.arbitraryLoads, node: PropertyNode(.boolean(true)))])
        let insecure = ExceptionFix.Setting(ATSKey.insecureHTTP, .flag(true))
        let withoutPFS = ExceptionFix.Setting(ATSKey.forwardSecrecy, .flag(false))
        return [plain, all]
            + versions("Configuring TLS exceptions for \(host)", host, suffix: "") { [$0] }
            + [
                MatrixTest(
                    "Configuring PFS exceptions for \(host)", "Disabling Perfect Forward Secrecy", host, [withoutPFS]),
                MatrixTest(
                    "Configuring PFS exceptions and allowing insecure HTTP for \(host)",
                    "Disabling Perfect Forward Secrecy and Allowing Insecure HTTP", host, [insecure, withoutPFS]),
            ]
            + versions("Configuring TLS exceptions with PFS disabled for \(host)", host, suffix: " with PFS disabled") {
                [$0, withoutPFS]
            }
            + versions(
                "Configuring TLS exceptions with PFS disabled and insecure HTTP allowed for \(host)", host,
                suffix: " with PFS disabled and insecure HTTP allowed"
            ) { [insecure, $0, withoutPFS] }
    }

    private static func versions(
        _ section: String, _ host: String, suffix: String,
        settings: (ExceptionFix.Setting) -> [ExceptionFix.Setting]
    ) -> [MatrixTest] {
        ["TLSv1.3", "TLSv1.2", "TLSv1.1", "TLSv1.0"].map { version in
            MatrixTest(
                section, version + suffix, host, settings(ExceptionFix.Setting(ATSKey.minimumTLS, .text(version))))
        }
    }

    private init(section: String, name: String, members: [PropertyMember]) {
        self.section = section
        self.name = name
        self.members = members
    }

    private init(_ section: String, _ name: String, _ host: String, _ settings: [ExceptionFix.Setting]) {
        let fix = ExceptionFix(domain: host, settings: settings)
        self.init(section: section, name: name, members: Declaration.secureDefaults.adding(fix).members)
    }
}
