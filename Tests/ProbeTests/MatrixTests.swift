import ATSPolicy
import Lab
import Probe
import Testing

/// The listing has nscurl's own text; only the host and the results come from the lab.
@Suite(.timeLimit(.minutes(2)))
struct MatrixTests {
    private static let line = String(repeating: "=", count: 80)

    private func listing(_ host: String, on profile: OSProfile, isVerbose: Bool = false) async throws -> String {
        let bench = try ProbeBench(try SharedLabs.basic.get())
        return await bench.prober.matrix(try ProbeTarget("https://\(host)/"), system: profile)
            .listing(isVerbose: isVerbose)
    }

    @Test("the listing has sixteen tests in nscurl's order and wording")
    func words() async throws {
        let host = "rsa-kx.lab.test"
        let profile = try #require(OSProfile.named("macos15.4"))
        func test(_ name: String, _ passes: Bool) -> String {
            "---\n\(name)\nResult : \(passes ? "PASS" : "FAIL")\n---\n\n"
        }
        func versions(_ suffix: String, _ passing: Set<String>) -> String {
            ["TLSv1.3", "TLSv1.2", "TLSv1.1", "TLSv1.0"].map { test($0 + suffix, passing.contains($0)) }.joined()
        }
        let old: Set = ["TLSv1.2", "TLSv1.1", "TLSv1.0"]
        let expected =
            """
            Starting ATS Diagnostics

            Configuring ATS Info.plist keys and displaying the result of HTTPS loads to https://\(host)/.
            A test will "PASS" if URLSession:task:didCompleteWithError: returns a nil error.
            Use '--verbose' to view the ATS dictionaries used and to display the error received in URLSession:task:didCompleteWithError:.
            \(Self.line)

            Default ATS Secure Connection

            """ + test("ATS Default Connection", false) + Self.line
            + "\n\nAllowing Arbitrary Loads\n\n" + test("Allow All Loads", true) + Self.line
            + "\n\nConfiguring TLS exceptions for \(host)\n\n" + versions("", []) + Self.line
            + "\n\nConfiguring PFS exceptions for \(host)\n\n" + test("Disabling Perfect Forward Secrecy", true)
            + Self.line + "\n\nConfiguring PFS exceptions and allowing insecure HTTP for \(host)\n\n"
            + test("Disabling Perfect Forward Secrecy and Allowing Insecure HTTP", true) + Self.line
            + "\n\nConfiguring TLS exceptions with PFS disabled for \(host)\n\n"
            + versions(" with PFS disabled", old) + Self.line
            + "\n\nConfiguring TLS exceptions with PFS disabled and insecure HTTP allowed for \(host)\n\n"
            + versions(" with PFS disabled and insecure HTTP allowed", old) + Self.line + "\n"
        #expect(try await listing(host, on: profile) == expected)
    }

    @Test("--verbose adds dictionaries as Foundation describes them, and errors")
    func verbose() async throws {
        let text = try await listing("rsa-kx.lab.test", on: .newest, isVerbose: true)
        #expect(!text.contains("Use '--verbose'"))
        #expect(
            text.contains(
                """
                ---
                TLSv1.2
                ATS Dictionary:
                {
                    NSExceptionDomains =     {
                        "rsa-kx.lab.test" =         {
                            NSExceptionMinimumTLSVersion = "TLSv1.2";
                        };
                    };
                }
                Result : FAIL
                Error : Error Domain=NSURLErrorDomain Code=-1200 "
                """))
        // A device's complete userInfo, as nscurl shows it.
        for member in ["NSLocalizedRecoverySuggestion=", "NSUnderlyingError=", "_kCFStreamErrorCodeKey=-9858"] {
            #expect(text.contains(member), "\(member)")
        }
        #expect(text.contains("---\nATS Default Connection\nATS Dictionary:\n{\n}\nResult : FAIL\n"))
        #expect(text.contains("ATS Dictionary:\n{\n    NSAllowsArbitraryLoads = true;\n}\nResult : PASS\n"))
    }

    @Test("the conclusion names the test with the smallest exception")
    func conclusion() async throws {
        let bench = try ProbeBench(try SharedLabs.basic.get())
        let matrix = await bench.prober.matrix(try ProbeTarget("https://rsa-kx.lab.test/"), system: .newest)
        #expect(matrix.conclusion.contains("ats.forward-secrecy"))
        #expect(matrix.conclusion.contains("\"Disabling Perfect Forward Secrecy\""))
        let good = await bench.prober.matrix(try ProbeTarget("https://good.lab.test/"), system: .newest)
        #expect(good.conclusion.contains("no exception is needed"))
        let expired = await bench.prober.matrix(try ProbeTarget("https://expired.lab.test/"), system: .newest)
        #expect(expired.conclusion.contains("ATS is not the cause"))
    }

    @Test("a server that says nothing costs four time limits, not one for each of the sixteen tests")
    func silentServer() async throws {
        let lab = try SharedLabs.full.get()
        let bench = try ProbeBench(lab) { $0.timeout = .milliseconds(500) }
        let begun = ContinuousClock.now
        let matrix = await bench.prober.matrix(try ProbeTarget("https://stalls.lab.test/"), system: .newest)
        #expect(.now - begun < .seconds(4))
        #expect(matrix.rows.count == 16 && matrix.rows.allSatisfy { !$0.isPassed })
    }
}
