import ATSPolicy
import Text

extension JSONWriter {
    /// Appends what `record` alone says, for the blanks of ``form(of:)`` and in their order.
    mutating func entry(of record: LoadRecord) {
        unquoted(record.id)
        next { $0.time(milliseconds: record.time) }
        next { $0.text(record.client.address) }
        next { $0.text(record.load.method) }
        next { $0.unquoted(record.load.pathOfURL) }
        next { $0.text(record.load.parent) }
        next { $0.list(record.diagnosis?.findings ?? []) { $0.finding($1) } }
        next { $0.apple(record.diagnosis?.apple) }
        next { $0.remedy(record.diagnosis?.remedy) }
        next { $0.list(record.candidates) { $0.candidate($1) } }
        next { $0.number(record.status) }
        next { $0.number(record.bytesSent) }
        next { $0.number(record.bytesReceived) }
        next { $0.milliseconds(record.timing.connect) }
        next { $0.milliseconds(record.timing.handshake) }
        next { $0.milliseconds(record.timing.firstByte) }
        next { $0.milliseconds(record.timing.total) }
        next { $0.text(record.via) }
        next { $0.texts(record.removed) }
        next { $0.texts(record.masked) }
    }

    private mutating func next(_ value: (inout JSONWriter) -> Void) {
        bytes.append(RecordForm.blank)
        value(&self)
    }

    private mutating func candidate(_ candidate: CandidateVerdict) {
        raw(#"{"source":"#)
        text(candidate.source)
        raw(#","verdict":"#)
        text(candidate.verdict.rawValue)
        raw(#","rule":"#)
        text(candidate.rule?.rawValue)
        raw("}")
    }
}
