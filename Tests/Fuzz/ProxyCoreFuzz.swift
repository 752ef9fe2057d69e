import ATSPolicy
import ProxyCore

/// Lets libFuzzer say in which order what happens to a session, and what its hostile peers say: the words and events of
/// ``Script``, in every kind of connection that a client can open. Nothing traps; each link is let go of once; each load
/// that began has one record; nothing is said after the end; what waits for a slow reader stays within bounds.
///
/// The first byte picks the connection and the law (``Setting``), each following step is one byte for the kind of event
/// and what that kind takes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProxyCore(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    var script = Script(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let conversation = Conversation(Setting(start[0]))
    var steps = 0
    while !conversation.isClosed, steps < 300, let kind = script.byte() {
        conversation.step(kind, &script)
        steps += 1
    }
    conversation.end()
    return 0
}
