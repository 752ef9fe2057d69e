import ATSPolicy
import ProxyCore

/// Lets libFuzzer say in which order what happens to a session, and what its hostile peers say: the words and events of
/// ``Script``, in every kind of connection that a client can open. Nothing traps; each link is let go of once; each load
/// that began has one record; nothing is said after the end; what waits for a slow reader stays within bounds; and when
/// all is over nothing holds the session any more, or its memory would be lost.
///
/// The first byte picks the connection and the law (``Setting``), each following step is one byte for the kind of event
/// and what that kind takes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProxyCore(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let script = Script(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let left = Left(of: converse(Setting(start[0]), script))
    guard left.loop == nil else { fatalError("something of the session is held when it is over") }
    return 0
}

/// What a session belonged to. Everything in a session knows it, so that it is there as long as any of that is.
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
