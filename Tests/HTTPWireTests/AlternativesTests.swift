import HTTPWire
import Testing

struct AlternativesTests {
    /// Returns the remaining values of Alt-Svc and the removed protocols.
    private func without(_ values: [String]) -> (left: [String], removed: [String]) {
        var head = ResponseHead(status: 200, reason: "OK")
        head.fields.append("X-Before", "1")
        for value in values { head.fields.append("alt-svc", value) }
        head.fields.append("X-After", "2")
        let removed = head.fields.removeHTTP3Alternatives()
        #expect(head.fields.value(named: "x-before") == "1")
        #expect(head.fields.value(named: "x-after") == "2")
        return (head.fields.values(of: .altSvc), removed)
    }

    @Test(arguments: [
        (#"h3=":443""#, "h3"), (#"h3-29=":443"; ma=86400; persist=1"#, "h3-29"), (#"h3-Q050=":443""#, "h3-q050"),
        (#"H3=":443""#, "h3"), (#"quic=":443"; ma=2592000; v="46,43""#, "quic"), (#"hq=":443""#, "hq"),
        (#" , h3 = ":443" ,"#, "h3"), (#"%683=":443""#, "h3"), (#"h3-34="evil.test:443";a="\",h2=""#, "h3-34"),
        (#"h3=":443"; v="never closed, h2=":1""#, "h3"),
    ])
    func everyKindOfHTTP3IsRemoved(value: String, name: String) {
        let (left, removed) = without([value])
        #expect(left.isEmpty)
        #expect(removed == [name])
    }

    @Test(arguments: [
        "clear", #"h2=":8443""#, #"h2="alt.test:443"; ma=60, http%2F1.1=":80""#, "h3", "", #"x-h3=":1", h30=":2""#,
        #"h2=":443"; note="h3=1, h3=2""#,
    ])
    func otherValuesAreUnchanged(value: String) {
        let (left, removed) = without([value])
        #expect(left == [value])
        #expect(removed.isEmpty)
    }

    @Test func otherAlternativesOfTheSameFieldAreKept() {
        let (left, removed) = without([
            #"h3=":443"; ma=9 , h2=":8443"; ma=5,h3-29=":443""#, #"h3=":444""#, "clear", #"h2c=":80""#,
        ])
        #expect(left == [#"h2=":8443"; ma=5"#, "clear", #"h2c=":80""#])
        #expect(removed == ["h3", "h3-29"])
    }

    @Test func headWithoutTheFieldIsUnchanged() {
        let (left, removed) = without([])
        #expect(left.isEmpty)
        #expect(removed.isEmpty)
    }

    @Test func seededRandomValuesNeverTrapAndLeaveNoHTTP3() {
        var state: UInt64 = 7838
        func die(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % sides
        }
        let parts = ["h3", "h3-29", "quic", "h2", "clear", "=", "\"", "\\", ",", ";", ":443", " ", "%68", "%", "ma=1"]
        for _ in 0..<5_000 {
            let value = (0..<die(12)).map { _ in parts[die(parts.count)] }.joined()
            var head = ResponseHead(status: 200, reason: "OK")
            head.fields.append(.altSvc, value)
            let removed = head.fields.removeHTTP3Alternatives()
            if removed.isEmpty { #expect(head.fields.values(of: .altSvc) == [value.trimmed]) }
            #expect(head.fields.removeHTTP3Alternatives().isEmpty, "seed 7838: \(value)")
        }
    }
}

extension String {
    /// Without spaces at its ends, which fields do not keep.
    fileprivate var trimmed: String {
        let tail = drop { $0 == " " }
        return String(tail.prefix(tail.count - tail.reversed().prefix { $0 == " " }.count))
    }
}
