import ATSPolicy
import Bytes
import HTTPWire
import Records

extension LoadRecorder {
    /// A head that its client has not ended is a load where its lines say by now what is asked for.
    func fileBegunHead(status: Int, _ finding: Finding) {
        guard let head = context.client.begunHead, case .target(let target) = RequestedTarget(head, in: tunnel) else {
            return
        }
        context.recognize(head)
        let (load, _) = context.admit(head, to: target, in: tunnel)
        load.beginAnswer(status: status)
        file(load, .failed, diagnosis: RecordedDiagnosis(finding))
    }
}

extension ClientStream {
    /// The head that those lines make that are whole; nil where they make none.
    fileprivate var begunHead: RequestHead? {
        guard let end = inbox.bytes.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
        let lines = Array(inbox.bytes[...end]) + Array("\r\n".utf8)
        var reader = MessageReader.requests(limits: WireLimits())
        let step = lines.withUnsafeBytes { try? reader.next(in: $0) }
        if case .requestHead(let head)? = step?.event { return head }
        return nil
    }
}
