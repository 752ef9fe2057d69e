import ATSPolicy
import Foundation
import Lab
import Testing

@Suite("every origin breaks only its own rule", .timeLimit(.minutes(10)))
struct OriginTests {
    let neighbourhood: LabEnvironment

    init() throws {
        neighbourhood = try LabEnvironment.shared.get()
    }

    static let names = [
        "good", "good12", "cleartext", "tls10", "tls11", "rsa-kx", "dhe", "sha1", "rsa1024", "expired",
        "not-yet-valid", "wrong-host", "no-san", "self-signed", "untrusted-root", "incomplete-chain", "closes",
        "garbage",
    ]

    @Test("the lab has these origins, in this order")
    func listed() {
        #expect(neighbourhood.lab.origins.map(\.name) == Self.names.map { $0 + ".lab.test" })
    }

    @Test("each origin has its predicted verdict and error for an iPhone", arguments: names)
    func promised(name: String) async throws {
        let origin = try #require(neighbourhood.lab.origin(named: name + ".lab.test"))
        let trial = Trial(neighbourhood: neighbourhood, declaration: .secureDefaults, profile: .iOS26)
        let verdict = try #require(try await trial.verdict(on: origin))
        let error = trial.appleError(for: verdict, origin)
        #expect(verdict.findings.map(\.rule) == [origin.rule].compactMap { $0 }, "\(verdict.findings)")
        #expect(error?.code == origin.appleCode)
        #expect(error?.streamErrorCode == origin.streamErrorCode)
        #expect(verdict.remedy?.exception == origin.minimalException)
        let isFailure = origin.rule?.rawValue.hasPrefix("tls.") ?? false
        #expect(origin.expectedVerdict == (verdict.failure == nil ? "allowed" : isFailure ? "failed" : "blocked"))
    }

    @Test("the minimal exception of an origin works on each release that it is predicted for", arguments: OSProfile.all)
    func excepted(profile: OSProfile) async throws {
        for origin in neighbourhood.lab.origins {
            guard let fix = origin.minimalException(on: profile) else { continue }
            let trial = Trial(
                neighbourhood: neighbourhood, declaration: try Declaration(fix), profile: profile)
            let verdict = try await trial.verdict(on: origin)
            #expect(verdict?.rule == nil, "\(origin.name) on \(profile.name)")
        }
    }

    @Test(
        "TLS 1.0 and 1.1 can be allowed by an exception on iOS 18.4, but not on iOS 26",
        arguments: ["tls10", "tls11"])
    func oldVersions(name: String) async throws {
        let origin = try #require(neighbourhood.lab.origin(named: name + ".lab.test"))
        #expect(origin.passesWithException(on: .iOS18_4))
        #expect(!origin.passesWithException(on: .iOS26))
        let fix = try #require(origin.minimalException(on: .iOS18_4))
        let trial = Trial(neighbourhood: neighbourhood, declaration: try Declaration(fix), profile: .iOS26)
        #expect(try await trial.verdict(on: origin)?.rule == .osTLSFloor)
        #expect(origin.ruleDespiteException == .osTLSFloor)
    }

    @Test("the good origins negotiate their documented versions and suites")
    func sound() async throws {
        let offer = TLSOffer.diagnostic
        let good = try #require(neighbourhood.lab.origin(named: "good.lab.test"))
        let facts = try #require(try await neighbourhood.visit(good, offer).facts)
        #expect(facts.version == .tls13)
        #expect(facts.alpn == "http/1.1")
        #expect(facts.path.first?.keyType == .ec)
        #expect(facts.path.last?.commonName == "atsgate lab root")
        let old = try #require(neighbourhood.lab.origin(named: "good12.lab.test"))
        let oldFacts = try #require(try await neighbourhood.visit(old, offer).facts)
        #expect(oldFacts.version == .tls12)
        #expect(oldFacts.suite.keyExchange == .ecdhe)
        #expect(oldFacts.path.first?.keyBits == 2_048)
    }

    @Test("every origin with TLS also serves HTTP, flawed or not", arguments: names.dropLast(2))
    func answers(name: String) async throws {
        let origin = try #require(neighbourhood.lab.origin(named: name + ".lab.test"))
        let request = "GET / HTTP/1.1\r\nHost: \(origin.name)\r\nConnection: close\r\n\r\n"
        let visit = try await neighbourhood.visit(
            origin, origin.scheme == .http ? nil : .diagnostic, saying: Array(request.utf8))
        let text = String(decoding: visit.answer, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(text.hasSuffix("This is \(origin.name), an origin of the atsgate lab.\n"))
        #expect(visit.failure == nil)
    }
}
