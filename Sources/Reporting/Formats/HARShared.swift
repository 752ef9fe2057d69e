import ATSPolicy
import Records
import Text

/// The values that HAR entries of one form have in common.
final class HARShared {
    let verdict: Verdict?
    /// The start of the URLs, within a JSON string.
    let origin: [UInt8]
    /// In the notation of browsers.
    let httpVersion: String
    /// Members of `_ats`, and the members after it; both without braces.
    let ats: [UInt8]
    let tail: [UInt8]

    /// Created for the first load of a form, and cached with the form.
    static func of(_ load: LoadRow) throws(StoreError) -> HARShared {
        if let known = load.form.memory as? HARShared { return known }
        let shared = HARShared(try load.record(), load.form)
        load.form.memory = shared
        return shared
    }

    let places: HARFields

    private init(_ record: DecodedRecord, _ form: SharedForm) {
        places = HARFields(form)
        verdict = Verdict(rawValue: record.verdict)
        origin = places.url.map { form.blanks[$0].beginning } ?? []
        httpVersion = record.load.protocol == RecordedRequest.WireProtocol.http2.rawValue ? "h2" : "HTTP/1.1"
        ats = Self.members([
            ("verdict", .string(record.verdict)), ("refusal", .text(record.refusal)),
            ("label", .text(record.client.label)), ("os", .string(record.policy.os)),
            ("policy", .text(record.policy.source)), ("entry", .text(record.policy.entry)),
            ("key", .text(record.policy.key)),
        ])
        var tail: [(String, JSONValue)] = []
        if let address = record.origin?.address {
            // ADDRESS:PORT; HAR requires the address without brackets.
            let end = address.lastIndex(of: ":") ?? address.endIndex
            tail.append(("serverIPAddress", .string(address[..<end].filter { !"[]".contains($0) })))
        }
        if let origin = record.origin, origin.tlsVersion != nil { tail.append(("_tls", .json(origin.json))) }
        self.tail = Self.members(tail)
    }

    private static func members(_ members: [(String, JSONValue)]) -> [UInt8] {
        Array(JSONValue.object(members.map { (key: $0, value: $1) }).text.utf8.dropFirst().dropLast())
    }
}

/// Positions of the values in an entry that a HAR needs.
struct HARFields {
    let time, method, url, findings, apple, remedy, status, sent, received: Int?
    let connect, handshake, firstByte, total: Int?

    init(_ form: SharedForm) {
        time = form.place("time")
        method = form.place("load.method")
        url = form.place("load.url")
        findings = form.place("findings")
        apple = form.place("apple")
        remedy = form.place("remedy")
        status = form.place("status")
        sent = form.place("bytes.sent")
        received = form.place("bytes.received")
        connect = form.place("timing.connectMs")
        handshake = form.place("timing.handshakeMs")
        firstByte = form.place("timing.firstByteMs")
        total = form.place("timing.totalMs")
    }
}
