import ATSPolicy
import ProxyCore

/// Lets libFuzzer choose the events of a session and the bytes of its hostile peers: the words and events of
/// ``Script``, in every kind of connection that a client can open. No input may trap; each link must be released once;
/// each started load must have one record; no output may follow the end; the bytes that wait for a slow reader must
/// stay within bounds; and at the end no reference may keep the session, or its memory would leak.
///
/// The first byte selects the connection and the rules (``Setting``), and each following step is one byte for the kind
/// of event and its parameters.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProxyCore(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let script = Script(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let left = Left(of: converse(Setting(start[0]), script))
    guard left.loop == nil else { fatalError("a reference keeps the session after its end") }
    return 0
}

/// The loop of a session. Every object of a session references it, so it exists as long as any of them.
private struct Left {
    weak var loop: LoopContext?

    init(of conversation: Conversation) { loop = conversation.loop }
}

private func converse(_ setting: Setting, _ script: Script) -> Conversation {
    var script = script
    let conversation = Conversation(setting)
    var steps = 0
    while !conversation.isClosed, steps < 300, let kind = script.byte() {
        conversation.step(kind, &script)
        steps += 1
    }
    conversation.end()
    return conversation
}
