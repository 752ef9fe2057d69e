import ATSPolicy
import Seeded
import TLSEngine
import Testing

@Suite("a hello is read completely, and within bounds")
struct HelloContentTests {
    private static let whole = HelloRecording.all.filter { $0.partial != true }
    private static var safari: HelloRecording { whole.first { $0.source.contains("Safari 26.4") } ?? whole[0] }

    private func read(_ bytes: [UInt8]) -> HelloContent? { bytes.withUnsafeBytes { HelloContent(records: $0) } }

    @Test("the fixture has the hellos of 70 Apple clients and 13 others")
    func fixture() {
        #expect(HelloRecording.all.count == 83)
        #expect(Self.whole.count == 72)
    }

    @Test("values and JA4 are those of the capture", arguments: whole)
    func capture(hello: HelloRecording) throws {
        let content = try #require(read(HelloRecording.records(hello.message)))
        func hex(_ list: HelloContent.List) -> [String] {
            content[list].map { value in String(String(UInt32(value) + 0x1_0000, radix: 16).suffix(4)) }
        }
        #expect(hex(.suites) == hello.suites)
        #expect(hex(.extensions) == hello.extensions)
        #expect(content.ja4 == hello.ja4)
        #expect(content.ja4CipherPart == hello.ja4.split(separator: "_")[1])
        for list in [HelloContent.List.suites, .extensions] { #expect(content.isGreased(list) == hello.grease) }
        if hello.extensions.contains("000d") { #expect(hex(.signatures) == hello.signatures) }
        if hello.extensions.contains("000a") { #expect(hex(.groups) == hello.groups) }
        if hello.extensions.contains("002b") { #expect(hex(.versions) == hello.versions) }
        if hello.extensions.contains("0033") { #expect(hex(.shares) == hello.shares) }
    }

    @Test("the reading is that of the source", arguments: HelloRecording.all)
    func reading(hello: HelloRecording) {
        let reading = HelloReading(hello.content)
        #expect(reading.kind.rawValue == hello.reads)
        #expect(reading.kind == .unknown || reading.matches != nil)
    }

    @Test("every row has a distinct meaning, a source, and sorted suites", arguments: HelloTable.rows.indices)
    func rows(index: Int) {
        let row = HelloTable.rows[index]
        #expect(!row.source.isEmpty && !row.name.isEmpty)
        #expect(row.suites.count >= 3 && row.suites == Array(Set(row.suites)).sorted())
        #expect(row.isApple || row.kind == .other)
        if let first = row.first, let last = row.last { #expect(first <= last) }
    }

    @Test("a hello that is split over records and segments has the same values", arguments: [1, 2, 7, 100, 500])
    func splitRecords(piece: Int) throws {
        for hello in Self.whole {
            let message = hello.message
            let whole = try #require(read(HelloRecording.records(message)))
            let split = HelloRecording.records(message, piece: piece)
            #expect(read(split) == whole)
            // More of the client may follow.
            #expect(read(split + [20, 3, 3, 0, 1, 1]) == whole)
        }
        let split = HelloRecording.records(Self.safari.message, piece: piece)
        for count in [0, 1, 4, 5, 8, 9, 20, split.count - 1] { #expect(read(Array(split[..<count])) == nil) }
    }

    @Test("16 KiB of padding, a pre-shared key and a cookie do not change the reading")
    func variants() throws {
        let usual = HelloReading(try #require(read(HelloRecording.records(Self.safari.message))))
        var padded = Self.safari
        padded.extensions += ["0015"]
        var message = padded.message
        // The padding is the last extension, and empty: it gets its bytes, and all lengths grow.
        let count = 16_000
        message += [UInt8](repeating: 0, count: count)
        message.replaceSubrange(
            message.count - count - 2..<message.count - count, with: [UInt8(count >> 8), UInt8(count & 255)])
        var list = Self.safari.suites.count * 2 + 2
        list = 1 + 3 + 2 + 32 + 4 + 2 + list + 2
        let extensions = message.count - list - 2
        message.replaceSubrange(list..<list + 2, with: [UInt8(extensions >> 8), UInt8(extensions & 255)])
        let body = message.count - 4
        message.replaceSubrange(1..<4, with: [UInt8(body >> 16), UInt8(body >> 8 & 255), UInt8(body & 255)])
        let content = try #require(read(HelloRecording.records(message)))
        #expect(HelloReading(content) == usual)
        for more in [["0029"], ["0015", "0029"]] {
            var resumed = Self.safari
            resumed.extensions += more
            let content = try #require(read(HelloRecording.records(resumed.message)))
            #expect(HelloReading(content) == usual)
            #expect(content.ja4?.hasPrefix("t13d20\(13 + more.count)h2_a09f3c656075_") == true)
        }
        // After a HelloRetryRequest: one share, and a cookie (RFC 8446 section 4.1.2).
        var second = Self.safari
        second.shares = ["0018"]
        second.extensions.insert("002c", at: 10)
        let again = HelloReading(try #require(read(HelloRecording.records(second.message))))
        #expect(again.kind == usual.kind)
        #expect(again.first == OSVersion(26))
    }

    @Test("a list of 10,000 extensions is cut, and has no JA4")
    func manyExtensions() throws {
        var hello = Self.safari
        hello.extensions = (0x4000..<0x4000 + 10_000).map { String($0, radix: 16) }.filter {
            !HelloContent.isGrease(UInt16($0, radix: 16) ?? 0)
        }
        for count in [10_000, 200] {
            hello.extensions.removeLast(max(0, hello.extensions.count - count))
            let content = try #require(read(HelloRecording.records(hello.message)))
            #expect(content.isCut && content.ja4 == nil)
            #expect(content[.extensions].count <= HelloContent.longestList)
            #expect(HelloReading(content).kind == .other)
        }
    }

    @Test("a changed or cut hello gives values or nil")
    func mutations() {
        var dice = SeededGenerator(seed: 44)
        let bytes = HelloRecording.records(Self.safari.message)
        for _ in 0..<20_000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &dice) {
                changed[Int.random(in: changed.indices, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
            }
            if let content = read(changed) {
                _ = content.ja4
                _ = HelloReading(content)
            }
        }
        for count in bytes.indices { #expect(read(Array(bytes[..<count])) == nil) }
    }

    @Test("JA4's letters of the protocol are those of its technical description")
    func protocols() throws {
        for (name, mark) in [("h2", "h2"), ("http/1.1", "h1"), ("h", "hh"), ("\u{1}\u{2}", "02"), ("-h", "28")] {
            var hello = Self.safari
            hello.alpn = [name]
            let ja4 = try #require(read(HelloRecording.records(hello.message))?.ja4)
            #expect(ja4.dropFirst(8).prefix(2) == mark, "\(name.debugDescription)")
        }
    }
}

@Suite("a hello shows the state of ATS, and its client")
struct HelloReadingTests {
    private func reading(_ part: String, where change: (inout HelloRecording) -> Void = { _ in }) -> HelloReading {
        var hello = HelloRecording.all.first { $0.source.contains(part) } ?? HelloRecording.all[0]
        change(&hello)
        return HelloReading(hello.content)
    }

    @Test("13 suites mean Go without Apple's mark, and ATS with it")
    func mark() {
        let app = reading("StandardIOS26_2")
        #expect(app.kind == .ats && app.first == OSVersion(26) && app.minimum == .tls12 && app.certainty == .observed)
        let go = reading("StandardIOS26_2") { $0.signatures = ["0804", "0403", "0807", "0805", "0806"] }
        #expect(go.kind == .other && go.program == .go && go.bringsOwnTLS && go.first == nil)
        // The extensions of an imitation may be in another order.
        let other = reading("StandardIOS26_2") { $0.extensions.reverse() }
        #expect(other.kind == .ats && other.certainty == .inferred)
    }

    @Test("a lowered and a raised minimum are shown")
    func minimum() {
        let lowered = reading("profiles.json: StandardIOS") { $0.versions = ["0304", "0303", "0302", "0301"] }
        #expect(lowered.kind == .ats && lowered.minimum == .tls10 && lowered.certainty == .inferred)
        let raised = reading("StandardIOS26_2") {
            $0.suites = ["1301", "1302", "1303"]
            $0.versions = ["0304"]
        }
        #expect(raised.kind == .ats && raised.minimum == .tls13 && raised.isTLS13Only)
    }

    @Test("NIAP's seven suites, and an unknown list of Apple's TLS")
    func others() {
        let niap = reading("StandardIOS26_2") { $0.suites = ["1301", "1302", "1303", "c02c", "c02b", "c030", "c02f"] }
        #expect(niap.kind == .niap && niap.certainty == .inferred)
        let unknown = reading("StandardIOS26_2") { $0.suites = ["1301", "c02c"] }
        #expect(unknown.kind == .unknown && unknown.matches == nil && !unknown.bringsOwnTLS)
    }

    @Test("a hello without supported_versions is no hello with a lower minimum")
    func noVersions() {
        let old = reading("profiles.json: StandardIOS") { $0.versions = [] }
        #expect(old.kind == .ats && old.minimum == nil && old.certainty == .observed)
    }

    @Test("OkHttp's suites are those of a library in apps")
    func okHTTP() throws {
        let row = try #require(HelloTable.rows.first { $0.program == .okhttp })
        var hello = HelloContent(legacyVersion: 0x0303)
        for suite in row.suites { hello.add(suite, to: .suites) }
        #expect(HelloReading(hello).program == .okhttp && HelloReading(hello).bringsOwnTLS)
    }

    @Test("a release that cannot send the hello is replaced by the closest that can, and a patch of it is kept")
    func guessedRelease() throws {
        func guess(_ system: String) throws -> String? {
            OSGuess(reading("MeshIos2"), against: try #require(OSProfile.named(system)), nil)?.profile.name
        }
        #expect(try guess("ios15.3.1") == nil)
        #expect(try guess("ios15.6") == "ios15.3" && guess("ios26") == "ios15.3")
    }

    @Test("the releases of a list are known")
    func releases() {
        #expect(reading("MeshIos2").last == OSVersion(15, 3))
        #expect(reading("Safari 18.4 (iOS").first == OSVersion(15, 4))
        #expect(reading("Safari 26.4 (macOS").first == OSVersion(26))
        #expect(reading("HelloIOS_11_1").last == OSVersion(12, 1))
        #expect(reading("Firefox 137").first == nil)
    }

    @Test(
        "programs with Apple's suites are distinguished",
        arguments: [
            ("go 1.17.8", "Go before 1.22"), ("Firefox 100", "Firefox"), ("Firefox 137", "Firefox"),
            ("Android 11", "Android 11 to 14, HttpsURLConnection"),
            ("Chromium 137", "BoringSSL: Chromium, Cronet, OkHttp"),
            ("Java 21", "Java"), ("OpenSSL 3.0.15", "OpenSSL 1.1.1 or 3.0"), ("Apple Mail", "Secure Transport"),
        ])
    func collisions(source: String, name: String) { #expect(reading(source).matches == name) }

    @Test("Dart sends Firefox' suites without ALPN")
    func dart() {
        // Averyy/wafer, wafer/_dart.py: t13d171000_5b57614c22b0.
        let dart = reading("Android 11") {
            $0.ja4 = "t13d171000_5b57614c22b0_78e6aca7449b"
            $0.alpn = []
            $0.extensions.removeAll { $0 == "0010" }
        }
        #expect(dart.program == .dart)
    }
}

@Suite("a device's hello is compared with the rules")
struct HelloAnswerTests {
    private static let strict = Declaration.secureDefaults

    private func answer(
        _ source: String, _ members: [(String, PropertyValue)], _ profile: OSProfile = .newest
    )
        -> HelloAnswer?
    {
        let hello = HelloRecording.all.first { $0.source.contains(source) } ?? HelloRecording.all[0]
        let nodes = members.map { PropertyMember(key: $0.0, node: PropertyNode($0.1)) }
        let judge = Judge(declaration: Self.strict.with(nodes), profile: profile)
        let target = LoadTarget(scheme: .https, host: "api.example.com", port: 443)
        guard case .permit(let permit) = judge.rule(on: target, loader: .app), let law = HelloForecast(permit) else {
            return nil
        }
        return HelloAnswer(HelloReading(hello.content), law)
    }

    @Test("ATS in force on both sides agrees; a relaxed dictionary or build differs")
    func states() {
        #expect(answer("StandardIOS26_2", []) == .agree)
        #expect(answer("SecondaryIOS26_2", []) == .deviceLaxer)
        #expect(answer("SecondaryIOS26_2", [("NSAllowsArbitraryLoads", .boolean(true))]) == .agree)
        #expect(answer("StandardIOS26_2", [("NSAllowsArbitraryLoads", .boolean(true))]) == .deviceStricter)
        #expect(answer("ja4db_verified", [("NSAllowsArbitraryLoads", .boolean(true))]) == .agree)
    }

    @Test("another program's hello is not compared")
    func foreign() {
        #expect(answer("go 1.17.8", []) == nil)
        #expect(answer("Chromium 137", [("NSAllowsArbitraryLoads", .boolean(true))]) == nil)
    }

    @Test("a cleartext load has no forecast")
    func cleartext() {
        let judge = Judge(declaration: Self.strict, profile: .newest)
        let target = LoadTarget(scheme: .http, host: "localhost", port: 80)
        guard case .permit(let permit) = judge.rule(on: target, loader: .app) else { return }
        #expect(HelloForecast(permit) == nil)
    }
}
