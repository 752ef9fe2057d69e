import Setup
import Testing
import Text

/// Each fault is found, and nothing else is reported.
@Suite("doctor")
struct DoctorTests {
    private static let fingerprint = String(repeating: "ab", count: 32)
    private static let now: Int64 = 1_795_132_800
    private static let gate = Authority(host: "127.0.0.1", port: 9802)

    /// The output of `scutil --proxy` on a Mac that is set up.
    private static let proxies = """
        <dictionary> {
          ExceptionsList : <array> {
            0 : *.local
            1 : 169.254/16
          }
          FTPPassive : 1
          HTTPEnable : 1
          HTTPPort : 9802
          HTTPProxy : 127.0.0.1
          HTTPSEnable : 1
          HTTPSPort : 9802
          HTTPSProxy : 127.0.0.1
          ProxyAutoConfigEnable : 0
        }

        """
    /// The end of the output of `scutil --nwi`.
    private static let routes = "Network information\n\nNetwork interfaces: en0\n"

    private let mac: FakeMac

    init() {
        var state = FakeMac.State.usual
        state.trustsInKeychain = true
        state.answers = [
            "scutil --proxy": Self.proxies, "scutil --nwi": Self.routes,
            "scutil --nc list": "Available network connection services in the current set (*=enabled):\n",
        ]
        mac = FakeMac(state)
    }

    /// A question about a faultless setup, for devices, too; `change` adds the fault.
    private func question(_ change: (inout DoctorQuestion) -> Void = { _ in }) -> DoctorQuestion {
        var question = DoctorQuestion(gate: Self.gate, now: Self.now) { _ in .gate(fingerprint: Self.fingerprint) }
        question.hosts = ["192.168.1.20"]
        question.checksDevices = true
        question.authority = DoctorQuestion.Authority(
            path: "/ca/ca-cert.pem", fingerprint: Self.fingerprint, notBefore: Self.now - 86_400,
            notAfter: Self.now + 86_400)
        question.traffic = DoctorQuestion.Traffic(
            last: Self.now - 5, loads: 3, policies: ["build/MyApp.app/Info.plist"], hasRelay: false)
        question.policy = "build/MyApp.app"
        question.folder = "/projects"
        question.runner = mac
        change(&question)
        return question
    }

    private func expect(
        broken checks: [DoctorFinding.Check], fix: String, of question: DoctorQuestion,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let broken = Doctor(question).examine().filter { $0.state == .broken }
        #expect(broken.map(\.check) == checks, sourceLocation: sourceLocation)
        #expect(broken.first?.fix?.contains(fix) == true, "\(broken)", sourceLocation: sourceLocation)
        #expect(broken.allSatisfy { $0.fix != nil }, sourceLocation: sourceLocation)
    }

    @Test("without a fault every check is ok")
    func well() {
        let findings = Doctor(question()).examine()
        #expect(findings.allSatisfy { $0.state == .well && $0.fix == nil }, "\(findings)")
        // For checks of gateways see GatewayDoctorTests.swift; for that of the build, below.
        let others: Set<DoctorFinding.Check> = [.gateway, .wireguard, .build, .apps]
        #expect(findings.map(\.check) == DoctorFinding.Check.allCases.filter { !others.contains($0) })
    }

    @Test("a gate that does not run is found")
    func notRunning() {
        expect(
            broken: [.gate], fix: "atsgate proxy --policy build/MyApp.app --listen 127.0.0.1:9802",
            of: question { $0.ask = { _ in .refused } })
    }

    @Test("the newest load is named with its recording, because another gate may have made it")
    func otherRecording() {
        let findings = Doctor(question { $0.traffic?.recording = "nightly" }).examine()
        let sentence = findings.first { $0.check == .traffic }?.sentence
        #expect(sentence?.hasSuffix(" old, in recording nightly") == true, "\(findings)")
    }

    @Test("another program on the gate's port is found")
    func stranger() {
        expect(broken: [.gate], fix: "lsof -nP -iTCP:9802", of: question { $0.ask = { _ in .stranger } })
    }

    @Test("a gate that listens only on the loopback address is found")
    func loopbackOnly() {
        let question = question {
            $0.ask = { $0 == Self.gate ? .gate(fingerprint: Self.fingerprint) : .refused }
        }
        let options = "--listen 0.0.0.0:9802 --allow-lan"
        expect(broken: [.network], fix: "atsgate proxy --policy build/MyApp.app " + options, of: question)
        for (inForce, words) in [("My App.app", "--policy 'My App.app' "), ("secure defaults", "")] {
            let unnamed = self.question {
                $0.policy = nil
                $0.ask = { $0 == Self.gate ? .gate(fingerprint: Self.fingerprint, policy: inForce) : .refused }
            }
            expect(broken: [.network], fix: "atsgate proxy \(words)\(options)", of: unnamed)
        }
    }

    @Test("a firewall that blocks devices is found")
    func firewall() {
        let question = question { $0.ask = { $0 == Self.gate ? .gate(fingerprint: Self.fingerprint) : .silent } }
        expect(broken: [.network], fix: "socketfilterfw", of: question)
    }

    @Test("a gate with another CA than the trusted one is found")
    func otherAuthority() {
        let question = question { $0.ask = { _ in .gate(fingerprint: String(repeating: "cd", count: 32)) } }
        expect(broken: [.certificateAuthority], fix: "--ca-dir", of: question)
    }

    @Test("an expired CA is found")
    func expired() {
        expect(
            broken: [.certificateAuthority], fix: "atsgate ca rotate",
            of: question { $0.authority?.notAfter = Self.now - 1 })
    }

    @Test("a wrong clock is found")
    func clock() {
        expect(broken: [.clock], fix: "sntp", of: question { $0.authority?.notBefore = Self.now + 1 })
        expect(broken: [.clock], fix: "sntp", of: question { $0.traffic?.last = Self.now + 3_600 })
    }

    @Test("a missing proxy setting is found")
    func noProxy() {
        mac.change { $0.answers["scutil --proxy"] = "<dictionary> {\n  FTPPassive : 1\n}\n" }
        expect(broken: [.proxy], fix: "atsgate setup mac --proxy 127.0.0.1:9802", of: question())
    }

    @Test("a setting for another proxy is found")
    func otherProxy() {
        mac.change {
            $0.answers["scutil --proxy"] = Self.proxies.replacing("HTTPSPort : 9802", with: "HTTPSPort : 8888")
        }
        expect(broken: [.proxy], fix: "atsgate setup mac", of: question())
    }

    @Test("an automatic configuration that overrides the proxy is found")
    func automatic() {
        mac.change {
            $0.answers["scutil --proxy"] = Self.proxies.replacing(
                "ProxyAutoConfigEnable : 0",
                with: "ProxyAutoConfigEnable : 1\n  ProxyAutoConfigURLString : http://corp.example/proxy.pac")
        }
        expect(broken: [.proxy], fix: "atsgate setup mac", of: question())
    }

    @Test("an active VPN is found", arguments: [true, false])
    func tunnel(isListed: Bool) {
        mac.change {
            if isListed {
                $0.answers["scutil --nc list"] =
                    "Available network connection services in the current set (*=enabled):\n"
                    + "* (Connected)      5A3C VPN (com.example.vpn) \"Work VPN\"      [VPN:com.example.vpn]\n"
            } else {
                $0.answers["scutil --nwi"] = "Network information\n\nNetwork interfaces: utun4 en0\n"
            }
        }
        expect(broken: [.tunnel], fix: isListed ? "scutil --nc stop 'Work VPN'" : "VPN", of: question())
    }

    @Test("active iCloud Private Relay is found")
    func relay() {
        expect(broken: [.relay], fix: "Private Relay", of: question { $0.traffic?.hasRelay = true })
    }

    @Test("a CA that is not trusted is found")
    func untrusted() {
        mac.change { $0.trustsInKeychain = false }
        expect(broken: [.trust], fix: "atsgate setup mac", of: question())
    }

    @Test("a build with ATS on is found where the dictionary relaxes it")
    func build() {
        expect(
            broken: [.build], fix: "install a build",
            of: question { $0.traffic?.build = .stricter(host: "api.example.com") })
        for (build, state) in [
            (DoctorQuestion.Build.relaxed, DoctorFinding.State.well), (.inForce(host: "a"), .unknown),
        ] {
            let findings = Doctor(question { $0.traffic?.build = build }).examine()
            #expect(findings.first { $0.check == .build }?.state == state)
        }
        #expect(!Doctor(question()).examine().contains { $0.check == .build })
    }

    @Test("a device whose apps do not use the gate is named, with the settings to turn off")
    func onlyChecks() throws {
        #expect(!Doctor(question()).examine().contains { $0.check == .apps })
        let findings = Doctor(question { $0.traffic?.checkingDevices = ["192.168.1.7", "Ann's"] }).examine()
        let finding = try #require(findings.first { $0.check == .apps })
        #expect(finding.state == .unknown && finding.sentence.hasPrefix("from 192.168.1.7 and 1 more only checks"))
        #expect(finding.fix?.contains("VPN") == true && findings.allSatisfy { $0.state != .broken })
    }

    @Test("missing traffic is found, and so is traffic that has stopped")
    func silence() {
        let never = question {
            $0.traffic = nil
            $0.policy = nil
        }
        expect(broken: [.traffic], fix: "atsgate.test", of: never)
        expect(broken: [.traffic], fix: "atsgate.test", of: question { $0.traffic?.last = Self.now - 3_600 })
    }

    @Test("another policy in force than the expected one is found")
    func otherPolicy() {
        expect(
            broken: [.policy], fix: "atsgate proxy --policy build/MyApp.app",
            of: question { $0.traffic?.policies = ["secure defaults"] })
    }

    @Test("the policy reported by the gate counts, not the one in its loads")
    func policyOfTheGate() {
        func gate(_ policy: String) -> @Sendable (Authority) -> DoctorQuestion.Reply {
            { _ in .gate(fingerprint: Self.fingerprint, policy: policy) }
        }
        expect(
            broken: [.policy], fix: "atsgate proxy --policy build/MyApp.app",
            of: question { $0.ask = gate("/old/Info.plist") })
        let mended = question {
            $0.ask = gate("/projects/build/MyApp.app/Info.plist")
            $0.traffic?.policies = ["/old/Info.plist"]
        }
        #expect(Doctor(mended).examine().allSatisfy { $0.state == .well })
    }

    @Test(
        "a policy matches by its path in any spelling, or as a file in the named bundle",
        arguments: [
            ("/projects/build/MyApp.app/Info.plist", "build/MyApp.app", true),
            ("/projects/build/MyApp.app/Info.plist", "build/MyApp.app/", true),
            ("build/MyApp.app/Info.plist", "./build/../build/MyApp.app/Info.plist", true),
            ("/projects/MyApp.ipa!Payload/MyApp.app/Info.plist", "MyApp.ipa", true),
            ("/old/build/MyApp.app/Info.plist", "build/MyApp.app", false),
            ("/projects/build/MyApp.app/Info.plist", "/build/MyApp.app", false),
            ("/projects/build/MyApp.app/Info.plist", "Info.plist", false),
            ("/projects/build/MyApp.app2", "build/MyApp.app", false),
        ])
    func samePolicy(found: String, wanted: String, isSame: Bool) {
        let question = question {
            $0.ask = { _ in .gate(fingerprint: Self.fingerprint, policy: found) }
            $0.policy = wanted
        }
        #expect(Doctor(question).examine().allSatisfy { $0.state == .well } == isSame)
    }

    @Test("on other systems than macOS the environment variables are checked")
    func environment() {
        let elsewhere = question {
            $0.runner = nil
            $0.environment = ["https_proxy": "http://127.0.0.1:9802"]
        }
        #expect(Doctor(elsewhere).examine().filter { $0.state == .broken }.isEmpty)
        expect(
            broken: [.proxy], fix: "export https_proxy=http://127.0.0.1:9802",
            of: question {
                $0.runner = nil
                $0.environment = ["https_proxy": "http://127.0.0.1:3128"]
            })
    }
}
