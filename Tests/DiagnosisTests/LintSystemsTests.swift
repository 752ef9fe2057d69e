import ATSPolicy
import Declarations
import Diagnosis
import Testing

@Suite("releases that lint checks")
struct LintSystemsTests {
    @Test(
        "a range is one release, two releases, or all from one on",
        arguments: [
            ("ios26", "ios26"), ("IOS18.4", "ios18.4"), ("macos10.11", "macos10.11"), ("visionos1", "visionos1"),
            ("tvos17..ios26", "tvos17..ios26"), ("ios16..", "ios16.."), ("macos13..macos26", "macos13..macos26"),
        ])
    func names(text: String, name: String) {
        #expect(SystemRange(text)?.name == name)
    }

    @Test(
        "text that names no release is rejected",
        arguments: [
            "", "ios", "ios8", "ios28", "ios99", "ios26..ios17", "ios17...ios26", "..ios17", "17", "ios17.x",
            "ios1.2.3.4",
        ])
    func refused(text: String) {
        #expect(SystemRange(text) == nil)
    }

    @Test(
        "without a range, the minimum version in the Info.plist counts",
        arguments: [
            ("Info.plist", #""MinimumOSVersion": "16.2""#, "ios16.2.."),
            ("My.app/Contents/Info.plist", #""LSMinimumSystemVersion": "13.0""#, "macos13.."),
            ("Info.plist", #""LSMinimumSystemVersion": "10.15""#, "macos10.15.."),
            ("Info.plist", #""MinimumOSVersion": "10.3.1""#, "ios10.3.1.."),
            ("Info.plist", #""MinimumOSVersion": "$(IPHONEOS_DEPLOYMENT_TARGET)""#, "ios9.."),
            ("Info.plist", #""CFBundleName": "a""#, "ios9.."),
            ("Info.plist", #""LSMinimumSystemVersion": "$(MACOSX_DEPLOYMENT_TARGET)""#, "macos10.11.."),
        ])
    func minimum(source: String, member: String, name: String) throws {
        let json = "{\(member), \"NSAppTransportSecurity\": {}}"
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: source)
        #expect(Linter().lint(declaration).systems == name)
    }

    @Test(
        "a minimum of TLSv1.3 is a warning before iOS 12.2, and a note before iOS 13",
        arguments: [
            ("ios11..", LintRule.Severity.warning), ("ios12.2..", .note), ("macos10.14.4", .note), ("ios13..", nil),
            ("macos10.14", .warning), ("macos10.15..", nil),
        ])
    func earlyTLS13(range: String, severity: LintRule.Severity?) throws {
        let json = #"{"NSExceptionDomains": {"a.com": {"NSExceptionMinimumTLSVersion": "TLSv1.3"}}}"#
        let declaration = try DeclarationReader.parse(Array(json.utf8), source: "a.json")
        let systems = SystemRange(range)
        #expect(systems?.name == range)
        let found = Linter(systems: systems).lint(declaration).findings
        #expect(found.first { $0.rule == "lint.minimum-tls-early" }?.severity == severity)
    }
}
