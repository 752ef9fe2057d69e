import ATSPolicy
import Text

extension JSONWriter {
    /// Appends the form of `record`: the whole line, with blanks for what ``entry(of:)`` writes, in the same order.
    mutating func form(of record: LoadRecord) {
        raw(#"{"schema":"#)
        number(Int64(LoadRecord.schema))
        raw(#","id":""#)
        blank()
        raw(#"","time":"#)
        blank()
        raw(#","recording":"#)
        text(record.recording)
        client(record.client)
        load(record.load)
        policy(record.policy)
        raw(#","verdict":"#)
        text(record.verdict.rawValue)
        raw(#","refusal":"#)
        text(record.refusal?.rawValue)
        blank(#","findings":"#)
        raw(#","origin":"#)
        if let origin = record.origin { self.origin(origin) } else { raw("null") }
        blank(#","apple":"#)
        blank(#","remedy":"#)
        blank(#","candidates":"#)
        blank(#","status":"#)
        blank(#","bytes":{"sent":"#)
        blank(#","received":"#)
        blank(#"},"timing":{"connectMs":"#)
        blank(#","handshakeMs":"#)
        blank(#","firstByteMs":"#)
        blank(#","totalMs":"#)
        blank(#"},"via":"#)
        blank(#","removed":"#)
        blank(#","masked":"#)
        raw("}")
    }

    private mutating func blank(_ key: StaticString = "") {
        raw(key)
        bytes.append(RecordForm.blank)
    }

    /// The address is left blank: its port is another one in every connection.
    private mutating func client(_ client: ClientCard) {
        blank(#","client":{"address":"#)
        raw(#","label":"#)
        text(client.label)
        raw(#","userAgent":"#)
        text(client.userAgent)
        raw(#","loader":"#)
        text(client.loader.rawValue)
        raw(#","os":"#)
        text(client.os)
        raw(#","osEvidence":"#)
        text(client.osEvidence)
        raw(#","osNotes":"#)
        texts(client.osNotes)
        raw("}")
    }

    private mutating func load(_ load: LoadCard) {
        blank(#","load":{"method":"#)
        raw(#","url":""#)
        unquoted(load.target.origin)
        blank()
        raw(#"","scheme":"#)
        text(load.target.scheme.rawValue)
        raw(#","host":"#)
        text(load.target.host)
        raw(#","port":"#)
        number(Int64(load.target.port))
        raw(#","protocol":"#)
        text(load.wireProtocol.rawValue)
        blank(#","parent":"#)
        raw("}")
    }

    private mutating func policy(_ policy: PolicyCard) {
        raw(#","policy":{"source":"#)
        text(policy.source)
        raw(#","bundleID":"#)
        text(policy.bundleID)
        raw(#","os":"#)
        text(policy.os)
        raw(#","entry":"#)
        text(policy.basis?.entry)
        raw(#","key":"#)
        text(policy.basis?.keyPath)
        raw(#","builtIn":"#)
        flag(policy.basis?.isBuiltIn ?? false)
        raw("}")
    }
}
