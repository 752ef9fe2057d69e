import Bytes
import HTTPWire
import Testing

struct FieldBlockTests {
    @Test func orderCaseAndRepeatsAreKept() {
        var fields = FieldBlock()
        fields.append("x-B", "2")
        fields.append("Accept", " a ,b\t")
        fields.append("X-b", "")
        fields.append(.accept, "c")
        var seen: [String] = []
        fields.forEach { name, value, known in
            let mark = known == .accept ? "!" : ""
            seen.append("\(String(decoding: name, as: UTF8.self))=\(String(decoding: value, as: UTF8.self))\(mark)")
        }
        #expect(seen == ["x-B=2", "Accept=a ,b!", "X-b=", "Accept=c!"])
        #expect(fields.count == 4)
        #expect(fields.value(of: .accept) == "a ,b")
        #expect(fields.values(of: .accept) == ["a ,b", "c"])
        #expect(fields.value(named: "X-B") == "2")
        #expect(fields.value(named: "ACCEPT") == "a ,b")
        #expect(fields.value(named: "x") == nil)
        #expect(fields.value(of: .host) == nil)
        #expect(!fields.contains(.host))
    }

    @Test(arguments: KnownField.allCases)
    func everyKnownFieldIsRecognisedInAnyCase(field: KnownField) {
        let name = "\(field.name)"
        for spelling in [name, name.lowercased(), name.uppercased()] {
            var fields = FieldBlock()
            fields.append(spelling, "a")
            fields.append(spelling + "x", "b")
            fields.append(String(spelling.dropLast()), "c")
            #expect(fields.contains(field))
            #expect(fields.values(of: field) == ["a"])
        }
    }

    @Test func membersOfListsAreFoundAcrossLines() {
        var fields = FieldBlock()
        fields.append("Connection", "keep-alive, X-Thing ,,")
        fields.append("connection", "Upgrade")
        for token in ["Keep-Alive", "x-thing", "upgrade"] { #expect(fields.contains(token, in: .connection)) }
        for token in ["keep", "thing", "", "close", "keep-alive, x-thing"] {
            #expect(!fields.contains(token, in: .connection))
        }
        #expect(!fields.contains("upgrade", in: .upgrade))
    }

    @Test("only letters are the same in any case, not brackets and braces")
    func bracketsAreNotLetters() {
        var fields = FieldBlock()
        fields.append("Connection", "a[, @b")
        #expect(fields.contains("A[", in: .connection) && fields.contains("@B", in: .connection))
        #expect(!fields.contains("a{", in: .connection) && !fields.contains("`b", in: .connection))
    }

    @Test("a name as long as a known one is not a known field", arguments: KnownField.allCases)
    func namesOfTheSameLength(field: KnownField) {
        for place in [0, field.name.utf8CodeUnitCount - 1] {
            var name = Array("\(field.name)".utf8)
            name[place] = UInt8(ascii: "~")
            var fields = FieldBlock()
            fields.append(String(decoding: name, as: UTF8.self), "a")
            #expect(fields.count == 1 && !fields.contains(field))
        }
    }

    @Test("offered protocols have no version and no spaces, and count only if Connection names Upgrade")
    func offeredProtocols() {
        var fields = FieldBlock()
        fields.append("Upgrade", "h2c ,\tWebSocket/13")
        #expect(fields.upgradeProtocols.isEmpty)
        fields.append("Connection", "upgrade")
        #expect(fields.upgradeProtocols == ["h2c", "websocket"])
    }

    @Test func removedFieldLeavesTheOthers() {
        var fields = FieldBlock()
        for (name, value) in [("A", "1"), ("Via", "2"), ("B", "3"), ("via", "4")] { fields.append(name, value) }
        fields.remove(.via)
        #expect(fields.count == 2)
        #expect(!fields.contains(.via))
        #expect(fields.value(named: "a") == "1")
        #expect(fields.value(named: "b") == "3")
        fields.remove(.host)
        #expect(fields.count == 2)
    }

    @Test func setReplacesTheFirstAndDropsTheRest() {
        var fields = FieldBlock()
        for (name, value) in [("via", "1"), ("B", "3"), ("Via", "2")] { fields.append(name, value) }
        let isReplaced = fields.set(.via, "9")
        let isAppended = fields.set(.host, "a")
        #expect(isReplaced && isAppended)
        #expect(fields.values(of: .via) == ["9"])
        #expect(fields.values(of: .host) == ["a"])
        #expect(fields.count == 3)
        let isSet = fields.set(.host, "a\r\nb: c")
        #expect(!isSet)
        #expect(fields.value(of: .host) == "a")
    }

    @Test(arguments: [
        ("", "a", WireError.badFieldName), ("a b", "a", .badFieldName), ("a:", "a", .badFieldName),
        ("\u{e9}", "a", .badFieldName), ("a", "b\r\nc: d", .badFieldValue), ("a", "\u{7f}", .badFieldValue),
        ("a", "\u{0}", .nulByte),
    ])
    func illegalTextIsNeverAdded(name: String, value: String, expected: WireError) {
        var fields = FieldBlock()
        do throws(WireError) {
            try fields.append(untrusted: name, value)
            Issue.record("the field was added")
        } catch {
            #expect(error == expected)
        }
        let isAdded = fields.append(name, value)
        #expect(!isAdded)
        #expect(fields.isEmpty)
    }

    @Test(arguments: ["", "a b", "a\r\n", "\u{e9}"])
    func methodMustBeAToken(name: String) {
        #expect(Method(name) == nil)
    }

    @Test func idempotentMethodsAreThoseOfTheStandard() {
        for method in [Method.get, .head, .put, .delete, .options, .trace] { #expect(method.isIdempotent) }
        for method in [Method.post, .patch, .connect] { #expect(!method.isIdempotent) }
        #expect(Method("get")?.isIdempotent == false)
    }
}
