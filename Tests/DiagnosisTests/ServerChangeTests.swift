import ATSPolicy
import Diagnosis
import Foundation
import Testing

@Suite("configuration changes for servers")
struct ServerChangeTests {
    @Test("each topic lists each server once, with lines and a public source", arguments: ServerChange.Topic.allCases)
    func catalogue(topic: ServerChange.Topic) {
        let changes = topic.changes
        #expect(Set(changes.map(\.server)).count == changes.count)
        #expect(changes.map(\.server).starts(with: ["nginx", "Apache", "HAProxy", "AWS ALB"]))
        #expect(changes.allSatisfy { !$0.lines.isEmpty && !$0.source.isEmpty })
    }

    @Test("every bad certificate is replaced in the same way; a pin has no change; rules of one topic share theirs")
    func rules() {
        #expect(
            ServerChange.all(for: [.expired, .hostName, .selfSigned]) == ServerChange.Topic.certificate.changes)
        #expect(ServerChange.all(for: [.pinnedIdentity, .niap, .tlsAlert]).isEmpty)
        #expect(ServerChange.all(for: [.forwardSecrecy, .cipherSuite]) == ServerChange.Topic.suites.changes)
        #expect(
            ServerChange.all(for: [.incompleteChain, .tlsVersion])
                == ServerChange.Topic.versions.changes + ServerChange.Topic.chain.changes)
    }

    @Test("a certificate with the wrong content is also issued by a CA of one's own, once, for every server")
    func reissue() {
        let changes = ServerChange.all(for: [.noSAN, .validityPeriod, .expired])
        #expect(changes == ServerChange.Topic.reissue.changes)
        #expect(changes.map(\.server) == ServerChange.Topic.certificate.changes.map(\.server))
        for change in changes {
            let line = change.lines.last ?? ""
            #expect(line.contains("subjectAltName=DNS:HOST") && line.contains("-days 825"), "\(change.server)")
        }
    }

    @Test("the text of a comment cannot end the comment in a property list")
    func comment() throws {
        let text = PropertyListText.document([], comments: ["a --> <b> & -----"])
        #expect(text.contains("\t<!-- a - -> <b> & - - - - - -->\n"))
        let read = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
        #expect((read as? [String: Any])?.keys.first == "NSAppTransportSecurity")
    }
}
