import ATSPolicy
import Foundation
import Records
import Reporting
import Samples
import Seeded
import Testing

@Suite("Records read back")
struct RoundTripTests {
    @Test("generated records are unchanged after writing, reading and writing again", arguments: seeds)
    func generated(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for round in 0..<100 {
            let record = StoredRecord(dice.record())
            let load = try DecodedRecord(record)
            #expect(load.json == record.json, "seed \(seed), round \(round)")
        }
    }

    @Test("every key of the JSON reads back, and no other key is kept", arguments: seeds)
    func everyKey(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let record = StoredRecord(dice.record())
        let written = try JSONSerialization.jsonObject(with: Data(record.json.utf8)) as? NSDictionary
        let again = try JSONSerialization.jsonObject(with: Data(DecodedRecord(record).json.utf8)) as? NSDictionary
        #expect(written == again, "seed \(seed)")
    }

    @Test("fields that reports once missed are members")
    func members() throws {
        var record = SampleLoads.forwardSecrecy()
        record.client = RecordedClient(
            address: "127.0.0.1:1", label: nil, userAgent: nil, loader: .app, os: "ios26", osEvidence: "User-Agent",
            osNotes: ["a note"]
        ).entering(by: .wireguard)
        record.load.redirectedFrom = "http://a.test/"
        record.via = "proxy.test:3128"
        record.removed = ["alt-svc h3"]
        var facts = HandshakeFacts(
            version: .tls12, suite: CipherSuite(code: 1, name: "X"), group: nil, alpn: nil, served: [], path: [],
            anchor: .system)
        facts.clientCertificate = .asked
        record.origin = RecordedOrigin(address: nil, facts: facts)
        let load = try DecodedRecord(StoredRecord(record))
        #expect(load.client.osEvidence == "User-Agent")
        #expect(load.client.osNotes == ["a note"])
        #expect(load.client.entrance == "wireguard")
        #expect(load.load.redirectedFrom == "http://a.test/")
        #expect(load.via == "proxy.test:3128")
        #expect(load.removed == ["alt-svc h3"])
        #expect(load.origin?.clientCertificate == "asked")
    }

    @Test("an older record reads back, with another name for the redirecting load and without newer keys")
    func older() throws {
        var record = SampleLoads.plain()
        record.load.redirectedFrom = "http://a.test/"
        let new = StoredRecord(record)
        let json = new.json.replacing(#""redirectedFrom":"#, with: #""parent":"#)
            .replacing(#","osEvidence":null,"osNotes":[],"entrance":null"#, with: "").replacing(
                #""assumed":null,"#, with: ""
            )
            .replacing(#""removed":[],"#, with: "")
        #expect(json != new.json)
        let old = StoredRecord(
            id: new.id, recording: new.recording, time: new.time, host: new.host, verdict: new.verdict, rule: new.rule,
            os: new.os, json: json)
        #expect(try DecodedRecord(old) == DecodedRecord(new))
    }

    @Test("an older record with the loader \"outside\" reads back as judged for the app")
    func formerLoader() throws {
        let new = StoredRecord(SampleLoads.forwardSecrecy())
        let old = StoredRecord(
            id: new.id, recording: new.recording, time: new.time, host: new.host, verdict: new.verdict, rule: new.rule,
            os: new.os, json: new.json.replacing(#""loader":"app","assumed":null"#, with: #""loader":"outside""#))
        #expect(old.json != new.json)
        let load = try DecodedRecord(old)
        #expect(load.client.loader == "outside" && load.client.assumed == nil)
        #expect(LoadEvidence(load, handshake: nil, rule: old.rule, milliseconds: old.time)?.loader == .app)
        let text = String(decoding: try ReportFormat.text.render([old], ReportContext()), as: UTF8.self)
        #expect(text.contains("client app, ios26\n"))
    }

    @Test("a record without a required key is unreadable")
    func missing() throws {
        let new = StoredRecord(SampleLoads.filed(SampleLoads.plain(), id: "7"))
        let row = StoredRecord(
            id: "7", recording: "", time: 0, host: "", verdict: .allowed, rule: nil, os: "",
            json: new.json.replacing(#""verdict":"allowed","#, with: ""))
        #expect {
            try DecodedRecord(row)
        } throws: { error in
            guard case StoreError.unreadableRecord("7", let cause)? = error as? StoreError else { return false }
            return cause.contains("verdict")
        }
    }
}

/// Two fixed seeds, and a random one for each run. A failure prints it.
private let seeds: [UInt64] = [9802, 1022, .random(in: .min ... .max)]
