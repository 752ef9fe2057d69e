import Foundation
import Testing

/// Text that people paste from a console, a crash report or a page.
@Suite("explain pasted text", .timeLimit(.minutes(10)))
struct ExplainTextTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
        try folder.write("{}", to: "empty.json")
        try folder.write(#"{"NSAllowsArbitraryLoads":true}"#, to: "open.json")
    }

    private static let error = """
        Task <6FD0AAAA-1111-4222-8333-444444444444>.<1> finished with error [-1200] Error Domain=NSURLErrorDomain \
        Code=-1200 "An SSL error has occurred and a secure connection to the server cannot be made." \
        UserInfo={NSErrorFailingURLStringKey=https://api.example.com/v1, \
        NSErrorFailingURLKey=https://api.example.com/v1, _kCFStreamErrorDomainKey=3, _kCFStreamErrorCodeKey=-9802}
        """

    @Test(
        "a line of Xcode, an NSError and a framework's exception get codes, causes, the load and the next command",
        arguments: [
            (error, ["-1200 [3:-9802]", "1. a self-signed certificate", "load: https://api.example.com/v1"]),
            ("NSURLErrorDomain Code=-1200 ... [3:-9802]", ["-1200 [3:-9802]", "next: atsgate probe"]),
            ("[3:-9802]", ["3:-9802", "errSSLFatalAlert", "1. a self-signed certificate"]),
            (
                "PlatformException(-1022, The resource could not be loaded, http://cdn.example.com/a.mp3, null)",
                ["-1022", "NSExceptionAllowsInsecureHTTPLoads", "next: atsgate explain --policy MyApp.app http://cdn."]
            ),
            (
                "Cannot start load of Task <6FD0>.<1> since it does not conform to ATS policy",
                ["-1022", "NSExceptionAllowsInsecureHTTPLoads"]
            ),
            ("does not conform to ATS policy", ["-1022"]),
            (
                "The certificate for this server is invalid. You might be connecting to a server that is pretending to be",
                ["-1202", "next: atsgate probe"]
            ),
            (
                "boringssl_context_handle_fatal_alert(1991) [C1.1.1.1:2][0x10] read alert, level: fatal, description: "
                    + "handshake failure", ["-9858", "errSSLHandshakeFail"]
            ),
            ("_kCFStreamErrorCodeKey=-9802", ["-9802"]), ("-1200 in my app", ["-1200", "next: atsgate probe"]),
        ])
    func text(text: String, parts: [String]) throws {
        let outcome = try Binary.run(["explain", text], in: folder)
        #expect(outcome.status == 0, "\(outcome.prose)")
        for part in parts { #expect(outcome.output.contains(part), "\(outcome.output)") }
        let typed = try Binary.run(["explain", "-"], in: folder, input: text + "\n")
        #expect(typed.output == outcome.output)
        let json = try Binary.run(["explain", "--json", text], in: folder)
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect((object?["codes"] as? [[String: Any]])?.isEmpty == false && object?["next"] is String)
    }

    @Test("an error that the shell split at its own quotes is read as one; a text without a code is refused as such")
    func split() throws {
        let parts = Self.error.split(separator: "\"").flatMap { $0.split(separator: " ").map(String.init) }
        let outcome = try Binary.run(["explain"] + parts, in: folder)
        let whole = try Binary.run(["explain", Self.error.replacing("\"", with: "")], in: folder)
        #expect(outcome.status == 0 && outcome.output == whole.output, "\(outcome.prose)")
        let nothing = try Binary.run(["explain", "the app shows no pictures"], in: folder)
        #expect(nothing.status == 64 && nothing.prose.contains("no known error code in this text"), "\(nothing.prose)")
    }

    @Test("with a dictionary, the load of a pasted error is ruled on, too")
    func ruled() throws {
        let text =
            "Error Domain=NSURLErrorDomain Code=-1022 UserInfo={NSErrorFailingURLStringKey=http://old.example/feed}"
        let blocked = try Binary.run(["explain", "--policy", "empty.json", text], in: folder)
        #expect(blocked.status == 1 && blocked.output.contains("ats.cleartext-load"), "\(blocked.prose)")
        #expect(blocked.output.contains("next: atsgate explain --policy empty.json http://old.example/feed"))
        #expect(blocked.output.contains("NSExceptionDomains, old.example, NSExceptionAllowsInsecureHTTPLoads"))
        let allowed = try Binary.run(["explain", "--policy", "open.json", "--json", text], in: folder)
        let object = try JSONSerialization.jsonObject(with: Data(allowed.output.utf8)) as? [String: Any]
        #expect(allowed.status == 0 && object?["ruling"] is [String: Any], "\(allowed.output)")
    }

    @Test(
        "words that name a cause replace the explanation of a code that has others",
        arguments: [
            (
                "Error Domain=NSURLErrorDomain Code=-1009 \"The Internet connection appears to be offline.\" UserInfo="
                    + "{_NSURLErrorNWPathKey=unsatisfied (Local network prohibited), _kCFStreamErrorCodeKey=50, "
                    + "_kCFStreamErrorDomainKey=1}",
                "no permission for the local network"
            ), ("nw_endpoint_flow Path was denied by NECP policy", "watchOS"),
        ])
    func hints(text: String, part: String) throws {
        let outcome = try Binary.run(["explain", text], in: folder)
        #expect(outcome.status == 0 && outcome.output.contains(part), "\(outcome.output)\(outcome.prose)")
        #expect(!outcome.output.contains("the device is offline"))
        #expect(outcome.output.contains("atsgate explain questions/is-it-ats"))
        let json = try Binary.run(["explain", "--json", text], in: folder)
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect((object?["hints"] as? [String])?.count == 1)
    }

    @Test("text without a code is an error that changes nothing for URLs, and standard input is read once")
    func nothing() throws {
        #expect(try Binary.run(["explain", "exa mple.com"], in: folder).status == 64)
        #expect(try Binary.run(["explain", "-"], in: folder, input: "it does not work\n").status == 64)
        #expect(try Binary.run(["explain", "-", "-"], in: folder, input: Self.error).status == 64)
        #expect(try Binary.run(["explain", "--policy", "-", "-"], in: folder, input: "{}").status == 64)
    }

    @Test(
        "a key is explained from its row in the documentation, also in an old spelling or misspelt",
        arguments: [
            ("NSAllowsArbitraryLoads", "true turns ATS off for every host without an entry"),
            ("nsallowsarbitraryloads", "It resembles NSAllowsArbitraryLoads:"),
            ("NSAllowArbitraryLoads", "It resembles NSAllowsArbitraryLoads:"),
            ("AllowsArbitraryLoads", "It resembles NSAllowsArbitraryLoads:"),
            ("NSExceptionAllowsInsecureHTTPSLoads", "It resembles NSExceptionAllowsInsecureHTTPLoads:"),
            ("NSThirdPartyExceptionAllowInsecureHTTPLoads", "an old spelling of NSExceptionAllowsInsecureHTTPLoads"),
            ("NSTemporaryExceptionMinimumTLSVersion", "An old spelling of NSExceptionMinimumTLSVersion"),
            ("NSExceptionDomains", "settings for hosts and addresses"), ("NSIncludesSubdomains", "an entry of NSExc"),
            ("NSPinnedLeafIdentities", "an entry of NSPinnedDomains"), ("SPKI-SHA256-BASE64", "SubjectPublicKeyInfo"),
            ("NSAppTransportSecurity", "the top level of Info.plist"), ("ATS", "the top level of Info.plist"),
        ])
    func keys(key: String, part: String) throws {
        let outcome = try Binary.run(["explain", key], in: folder)
        #expect(outcome.status == 0 && outcome.output.contains(part), "\(outcome.output)\(outcome.prose)")
        let json = try Binary.run(["explain", "--json", key], in: folder)
        #expect((try? JSONSerialization.jsonObject(with: Data(json.output.utf8))) != nil, "\(json.output)")
    }

    @Test(
        "the page about nscurl is printed for its name and for the titles of its tests",
        arguments: ["nscurl", "Allowing Arbitrary Loads", "Configuring PFS exceptions for example.com"])
    func nscurlPage(text: String) throws {
        let outcome = try Binary.run(["explain", text], in: folder)
        #expect(
            outcome.status == 0 && outcome.output.contains("| `Default ATS Secure Connection` |"), "\(outcome.prose)")
    }

    @Test(
        "options of nscurl are explained, alone and in a command line",
        arguments: [
            (["--ats-diagnostics"], ["nscurl --ats-diagnostics", "atsgate probe --matrix URL"]),
            (["--tls-diagnostics"], ["from macOS 26", "atsgate probe --tls-diagnostics URL"]),
            (["--verbose"], ["nscurl --verbose", "--matrix --verbose"]), (["-k"], ["no check of the certificate"]),
            (
                ["nscurl", "--ats-diagnostics", "--noisy", "https://a.example/"],
                ["--matrix", "--noisy is not a known"]
            ),
            (["/usr/bin/nscurl --ats-diagnostics --verbos https://a.example/"], ["did you mean --verbose?"]),
            (["--ats-diagnostics", "--verbose", "https://a.example/"], ["nscurl --verbose"]),
            (["Allowing Arbitrary Loads"], ["| 2 | `Allowing Arbitrary Loads`"]),
        ])
    func nscurl(arguments: [String], parts: [String]) throws {
        let outcome = try Binary.run(["explain"] + arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.prose)")
        for part in parts { #expect(outcome.output.contains(part), "\(outcome.output)") }
    }

    @Test(
        "an option that nscurl lacks, too, is a usage error with a suggestion",
        arguments: ["--noisy", "--ats-diagnostic"])
    func unknownOption(option: String) throws {
        let outcome = try Binary.run(["explain", option], in: folder)
        #expect(outcome.status == 64 && outcome.prose.contains("\(option) is not a known option of nscurl"))
        #expect(outcome.prose.contains("did you mean --ats-diagnostics?") == option.hasPrefix("--ats"))
        #expect(outcome.prose.contains("atsgate explain law/nscurl#options"))
        #expect(try Binary.run(["explain", "--polcy", "x", "a.example"], in: folder).prose.contains("--policy"))
        #expect(try Binary.run(["explain", "--help"], in: folder).output.contains("USAGE"))
    }
}
