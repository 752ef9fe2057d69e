import ATSPolicy
import ProxyCore
import Records

extension Playbook {
    /// An effect in a few words, for transcripts.
    func words(for effect: SessionEffect) -> String {
        switch effect {
        case .connect(let permit, let mayReuse):
            "connect \(permit.target.origin) \(mayReuse ? "reuse" : "new")"
        case .abandonConnect: "abandonConnect"
        case .keepOrigin(let link): "keep \(name(of: link))"
        case .closeOrigin(let link): "close \(name(of: link))"
        case .closeClient: "closeClient"
        case .resetClient: "resetClient"
        case .finishClientWriting: "finishClient"
        case .finishOriginWriting(let link): "finish \(name(of: link))"
        case .pauseClient: "pauseClient"
        case .resumeClient: "resumeClient"
        case .pauseOrigin(let link): "pause \(name(of: link))"
        case .resumeOrigin(let link): "resume \(name(of: link))"
        case .arm(let deadline, _): "arm \(deadline)"
        case .disarm: "disarm"
        case .record(let record): "record " + record.words
        }
    }
}

extension LoadRecord {
    /// `allowed 200 sent=0 received=5`, then how it was refused and the deciding rule, where there are any.
    var words: String {
        var words = [
            "\(self.verdict)", self.status.map(String.init) ?? "-", "sent=\(self.bytesSent)",
            "received=\(self.bytesReceived)",
        ]
        if let refusal = self.refusal { words.append(refusal.rawValue) }
        if let rule = self.diagnosis?.findings.first?.rule { words.append(rule.rawValue) }
        return words.joined(separator: " ")
    }
}
