import ATSPolicy
import Records
import Testing

@Suite("A load judged again")
struct ReplayTests {
    @Test("under the recorded rules the result is the same for every handshake")
    func sameLaw() throws {
        for rule in RuleBook.standard.rules {
            for example in rule.examples {
                let handshake = example.handshake
                guard Sample.strict.governs(handshake) else { continue }
                let law = RuleBook.standard.judge(handshake)
                let replay = Sample.strict.replay(
                    Sample.load(
                        facts: handshake.facts, verdict: law.failure == nil ? .allowed : .blocked, rule: law.rule,
                        at: handshake.now))
                #expect(replay.rule == law.rule, "\(rule.id.rawValue): \(example.title)")
                #expect(replay.verdict == (law.failure == nil ? .allowed : .blocked))
            }
        }
    }

    @Test("a cleartext load depends on the ruling alone, and a later network failure stays")
    func cleartext() {
        let url = "http://api.example.com"
        #expect(Sample.strict.replay(Sample.load(url, verdict: .allowed)).rule == .cleartextLoad)
        #expect(Sample.free.replay(Sample.load(url, verdict: .blocked, rule: .cleartextLoad)).verdict == .allowed)
        let refused = Sample.load(url, verdict: .failed, rule: .netRefused)
        #expect(Sample.free.replay(refused).verdict == .failed)
        #expect(Sample.free.replay(refused).rule == .netRefused)
        #expect(Sample.strict.replay(refused).verdict == .blocked)
    }

    @Test("loads outside ATS stay outside, and loads that failed before or after the rules keep their result")
    func untouched() {
        #expect(Sample.strict.replay(Sample.load(verdict: .outside)).verdict == .outside)
        let browser = Sample.strict.replay(
            Sample.load("http://api.example.com", verdict: .outside, rule: .clientOutside))
        #expect(browser.verdict == .outside && browser.rule == .clientOutside && browser.basis.step == .outside)
        #expect(Sample.strict.replay(Sample.load(verdict: .failed, rule: .netName)).rule == .netName)
        let gone = Sample.load(facts: Sample.facts(), verdict: .failed, rule: .clientGone)
        #expect(Sample.strict.replay(gone).rule == .clientGone)
        let barred = Sample.load(facts: Sample.facts(), verdict: .blocked, rule: .clientOtherTraffic)
        #expect(Sample.strict.replay(barred).verdict == .blocked)
    }

    @Test("an https load whose offer was not recorded is undecided")
    func withoutOffer() {
        let unasked = Sample.load(handshake: RecordedHandshake(facts: Sample.facts()))
        #expect(Sample.strict.replay(unasked).verdict == .undecidable)
    }

    @Test("the origin of a load from a device's log is not guessed")
    func logged() {
        func replay(_ url: String, _ verdict: Verdict, _ rule: RuleID? = nil, by law: LoadReplay) -> ReplayVerdict {
            var load = Sample.load(url, verdict: verdict, rule: rule)
            load.source = .device
            return law.replay(load).verdict
        }
        let (secure, plain) = ("https://api.example.com", "http://api.example.com")
        #expect(replay(secure, .allowed, by: Sample.strict) == .undecidable)
        #expect(replay(secure, .allowed, by: Sample.free) == .allowed)
        #expect(replay(secure, .blocked, by: Sample.free) == .undecidable)
        #expect(replay(secure, .failed, .netName, by: Sample.strict) == .failed)
        #expect(replay(plain, .blocked, .cleartextLoad, by: Sample.free) == .allowed)
        #expect(replay(plain, .failed, by: Sample.free) == .failed)
        #expect(replay(plain, .failed, by: Sample.strict) == .blocked)
    }

    @Test("validity dates are checked at the time of the load, not of the replay")
    func dates() {
        let day = Sample.facts().path[0].notAfter
        #expect(Sample.strict.replay(Sample.load(facts: Sample.facts(), at: day)).verdict == .allowed)
        #expect(Sample.strict.replay(Sample.load(facts: Sample.facts(), at: day + 1)).rule == .expired)
    }

    @Test("the result of the app's own checks is kept, unless the new rules decide earlier")
    func appTrust() {
        var facts = Sample.facts()
        facts.anchor = .unknownRoot
        let lax = Sample.replayer(entry: [(ATSKey.insecureHTTP, .boolean(true))])
        let accepted = Sample.load(facts: facts, verdict: .allowed, rule: .appTrustOverride, like: lax)
        #expect(lax.replay(accepted).verdict == .allowed)
        #expect(Sample.strict.replay(accepted).rule == .untrustedRoot)
        let refused = Sample.load(facts: facts, verdict: .allowed, rule: .untrustedRoot, like: lax)
        #expect(lax.replay(refused).verdict == .blocked)
        let pinned = Sample.load(facts: Sample.facts(), verdict: .blocked, rule: .appPin)
        #expect(Sample.strict.replay(pinned).rule == .appPin)
    }
}

@Suite("Forecast of an origin's response to another hello")
struct OriginForecastTests {
    private let rsa = CipherSuite(code: 0x009D, name: "TLS_RSA_WITH_AES_256_GCM_SHA384")
    private let ecdhe = CipherSuite(code: 0xC030, name: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384")
    private let modern = CipherSuite(code: 0x1301, name: "TLS_AES_128_GCM_SHA256")

    @Test("a narrower hello that still contains the chosen values gets the same response")
    func narrower() {
        let facts = Sample.facts(.tls12, ecdhe)
        let load = Sample.load(facts: facts, like: Sample.free)
        #expect(load.handshake?.forecast(of: Sample.strict.offer) == .succeeds(facts))
        #expect(Sample.strict.replay(load).verdict == .allowed)
    }

    @Test("TLS 1.3 is chosen as long as it is offered; without it the result is unknown")
    func modernVersion() {
        let load = Sample.load(facts: Sample.facts(.tls13, modern), like: Sample.strict)
        #expect(Sample.free.replay(load).verdict == .allowed)
        #expect(Sample.replayer(.iOS9).replay(load).verdict == .undecidable)
    }

    @Test("without the chosen suite the response is unknown")
    func otherSuite() {
        let load = Sample.load(facts: Sample.facts(.tls12, rsa), like: Sample.free)
        #expect(Sample.strict.replay(load).verdict == .undecidable)
        #expect(Sample.strict.replay(load).why?.contains(rsa.name) == true)
        #expect(Sample.replayer(entry: [(ATSKey.forwardSecrecy, .boolean(false))]).replay(load).verdict == .allowed)
    }

    @Test("an old version chosen from an offer with newer ones is the origin's newest")
    func oldVersion() {
        let old = Sample.replayer(.iOS18_4, free: true)
        let load = Sample.load(facts: Sample.facts(.tls11, ecdhe), like: old)
        let strict = Sample.replayer(.iOS18_4)
        #expect(strict.replay(load).verdict == .blocked)
        #expect(strict.replay(load).rule == .tlsVersion)
        #expect(Sample.free.replay(load).rule == .osTLSFloor)
        let entry = Sample.replayer(.iOS18_4, entry: [(ATSKey.minimumTLS, .string("TLSv1.1"))])
        #expect(entry.replay(load).verdict == .allowed)
    }

    @Test("a refused hello is refused again, also with less; the later accepted one is accepted")
    func turnedDown() {
        let handshake = RecordedHandshake(
            facts: Sample.facts(.tls12, rsa), failure: .alertReceived(40), offer: Sample.strict.offer)
        let load = Sample.load(handshake: handshake, verdict: .blocked, rule: .forwardSecrecy)
        #expect(Sample.strict.replay(load).rule == .forwardSecrecy)
        let newer = Sample.replayer(entry: [(ATSKey.minimumTLS, .string("TLSv1.3"))])
        #expect(newer.replay(load).verdict == .blocked)
        let lax = Sample.replayer(entry: [(ATSKey.forwardSecrecy, .boolean(false))])
        #expect(lax.replay(load).verdict == .allowed)
        #expect(Sample.free.replay(load).verdict == .allowed)
        // The same suites from an older version on. The origin refused each of them.
        let older = Sample.replayer(.iOS18_4, entry: [(ATSKey.minimumTLS, .string("TLSv1.0"))])
        #expect(older.replay(load).rule == .forwardSecrecy)
    }

    @Test("an old origin that refused a hello is known only by what it later accepted")
    func oldOrigin() {
        let handshake = RecordedHandshake(
            facts: Sample.facts(.tls10, rsa), failure: .alertReceived(70), offer: Sample.replayer(.iOS18_4).offer)
        let load = Sample.load(handshake: handshake, verdict: .blocked, rule: .tlsVersion)
        let minimum = (ATSKey.minimumTLS, PropertyValue.string("TLSv1.0"))
        // It may also have ECDHE for TLS 1.0.
        #expect(Sample.replayer(.iOS18_4, entry: [minimum]).replay(load).verdict == .undecidable)
        let both = Sample.replayer(.iOS18_4, entry: [minimum, (ATSKey.forwardSecrecy, .boolean(false))])
        #expect(both.replay(load).verdict == .allowed)
    }

    @Test("a handshake that failed with the full offer fails under all rules")
    func hopeless() {
        let handshake = RecordedHandshake(facts: nil, failure: .notTLS([72]), offer: Sample.strict.offer)
        let load = Sample.load(handshake: handshake, verdict: .failed, rule: .tlsNotTLS)
        #expect(Sample.free.replay(load).rule == .tlsNotTLS)
        #expect(Sample.free.replay(load).verdict == .failed)
    }

    @Test("if it refused values that it accepted later, only the same hello is decided")
    func otherReason() {
        let handshake = RecordedHandshake(
            facts: Sample.facts(.tls12, ecdhe), failure: .alertReceived(80), offer: Sample.strict.offer)
        let load = Sample.load(handshake: handshake, verdict: .failed, rule: .tlsAlert)
        #expect(Sample.strict.replay(load).rule == .tlsAlert)
        #expect(Sample.free.replay(load).verdict == .undecidable)
    }

    @Test("an origin that fails the large hello is known for the large hello and for the small one")
    func largeHello() {
        var facts = Sample.facts(.tls13, modern)
        facts.groupLeftOut = HelloShape.hybridGroupName
        let handshake = RecordedHandshake(
            facts: facts, failure: .closed(reset: true), offer: Sample.strict.offer)
        let load = Sample.load(handshake: handshake, verdict: .failed, rule: .tlsLargeHello)
        let same = Sample.strict.replay(load)
        #expect(same.verdict == .failed && same.rule == .tlsLargeHello)
        #expect(Sample.free.replay(load).rule == .tlsLargeHello)
        let older = Sample.replayer(.iOS18_4).replay(load)
        #expect(older.verdict == .allowed && older.rule == nil)
    }

    @Test("a hello without the hybrid group, because the library lacks it, counts as the device's")
    func lackingGroup() {
        let sent = Sample.strict.offer.withoutHybridGroup
        let good = Sample.load(handshake: RecordedHandshake(facts: Sample.facts(.tls12, ecdhe), offer: sent))
        #expect(Sample.strict.replay(good).verdict == .allowed)
        let bad = RecordedHandshake(facts: Sample.facts(.tls12, ecdhe), failure: .alertReceived(80), offer: sent)
        let load = Sample.load(handshake: bad, verdict: .failed, rule: .tlsAlert)
        #expect(Sample.strict.replay(load).rule == .tlsAlert)
    }

    @Test("a server that signed with Ed25519 is unknown under a release that does not offer it")
    func unofferedSignature() {
        var facts = Sample.facts(.tls13, modern)
        facts.signature = HandshakeSignature(.eddsa, hashBits: nil)
        var asked = Sample.strict.offer
        asked.shape = nil
        let load = Sample.load(handshake: RecordedHandshake(facts: facts, offer: asked))
        #expect(Sample.strict.replay(load).verdict == .undecidable)
    }

    @Test("a SHA-1 signature does not decide a hello without SHA-1")
    func signature() {
        var facts = Sample.facts(.tls12, ecdhe)
        facts.signature = HandshakeSignature(.rsaPKCS1, hashBits: 160)
        var offer = Sample.strict.offer
        offer.takesSHA1Signatures = false
        let handshake = RecordedHandshake(facts: facts, offer: Sample.strict.offer)
        #expect(handshake.forecast(of: Sample.strict.offer) == .succeeds(facts))
        guard case .unknown = handshake.forecast(of: offer) else { return #expect(Bool(false)) }
    }
}

/// Loads, and rules to replay them under.
private enum Sample {
    static let strict = replayer()
    static let free = replayer(free: true)

    static func replayer(
        _ os: OSProfile = .iOS26, free: Bool = false, entry: [(String, PropertyValue)] = []
    ) -> LoadReplay {
        var keys: [(String, PropertyValue)] = []
        if free { keys.append((ATSKey.arbitraryLoads, .boolean(true))) }
        if !entry.isEmpty {
            keys.append((ATSKey.exceptionDomains, dictionary([("api.example.com", dictionary(entry))])))
        }
        let root = PropertyNode(dictionary(keys))
        guard let declaration = try? Declaration(root: root, source: "test") else {
            preconditionFailure("no dictionary")
        }
        return LoadReplay(judge: Judge(declaration: declaration, profile: os))
    }

    static func facts(_ version: TLSVersion = .tls12, _ suite: CipherSuite? = nil) -> HandshakeFacts {
        let examples = RuleBook.standard.rule(.tlsVersion)?.examples ?? []
        guard var facts = examples.first(where: { $0.expected == .pass })?.handshake.facts else {
            preconditionFailure("no example")
        }
        facts.version = version
        if let suite { facts.suite = suite }
        return facts
    }

    /// - Parameter law: The rules whose offer the origin got.
    static func load(
        _ url: String = "https://api.example.com", facts: HandshakeFacts? = nil, handshake: RecordedHandshake? = nil,
        verdict: Verdict = .allowed, rule: RuleID? = nil, at time: Int64 = 1_790_000_000, like law: LoadReplay = strict
    ) -> LoadRecord {
        let scheme = url.hasPrefix("https") ? LoadTarget.Scheme.https : .http
        var record = LoadRecord.blank
        record.load.target = LoadTarget(scheme: scheme, host: "api.example.com", port: scheme.defaultPort)
        record.time = time * 1_000
        record.verdict = verdict
        record.restore(handshake ?? facts.map { RecordedHandshake(facts: $0, offer: law.offer) })
        if let rule {
            record.findings = [
                Finding(
                    rule: rule, title: "", keyPath: nil, expected: "", observed: "", confidence: .observed, source: "")
            ]
        }
        return record
    }

    private static func dictionary(_ members: [(String, PropertyValue)]) -> PropertyValue {
        .dictionary(members.map { PropertyMember(key: $0, node: PropertyNode($1)) })
    }
}

extension LoadReplay {
    private var permit: ConnectPermit {
        let target = LoadTarget(scheme: .https, host: "api.example.com", port: 443)
        guard case .permit(let permit) = judge.rule(on: target, loader: .app) else { preconditionFailure("denied") }
        return permit
    }

    fileprivate var offer: TLSOffer { permit.offer ?? .diagnostic }

    /// True if the record of `handshake` contains all that these rules check.
    fileprivate func governs(_ handshake: HandshakeCase) -> Bool {
        handshake.profile == judge.profile && handshake.demands == permit.demands
            && handshake.host == permit.target.host
            && handshake.transparency == TransparencyCheck(by: handshake.facts.sctReview, at: handshake.now)
    }
}
