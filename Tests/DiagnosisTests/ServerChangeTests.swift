import ATSPolicy
import Diagnosis
import Foundation
import Testing

@Suite("what servers are told")
struct ServerChangeTests {
    @Test("each topic has every server once, and each line its public source", arguments: ServerChange.Topic.allCases)
    func catalogue(topic: ServerChange.Topic) {
        let changes = topic.changes
        #expect(Set(changes.map(\.server)).count == changes.count)
        #expect(changes.map(\.server).starts(with: ["nginx", "Apache", "HAProxy", "AWS ALB"]))
        #expect(changes.allSatisfy { !$0.lines.isEmpty && !$0.source.isEmpty })
    }

    @Test("a bad certificate is replaced, not configured; rules of one topic share its words")
    func rules() {
        #expect(ServerChange.all(for: [.expired, .hostName, .selfSigned]).isEmpty)
        #expect(ServerChange.all(for: [.forwardSecrecy, .cipherSuite]) == ServerChange.Topic.suites.changes)
        #expect(
            ServerChange.all(for: [.incompleteChain, .tlsVersion])
                == ServerChange.Topic.versions.changes + ServerChange.Topic.chain.changes)
    }

    @Test("a comment in a property list can not end it")
    func comment() throws {
        let text = PropertyListText.document([], comments: ["a --> <b> & -----"])
        #expect(text.contains("\t<!-- a - -> <b> & - - - - - -->\n"))
        let read = try PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil)
        #expect((read as? [String: Any])?.keys.first == "NSAppTransportSecurity")
    }
}
