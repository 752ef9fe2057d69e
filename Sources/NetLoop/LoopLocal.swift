/// A value that belongs to one event loop, carried there by closures that other threads may hold.
// Unchecked: the compiler can not see that the value is only reached through functions that insist on being on the loop
// that owns it, so no two threads ever touch it.
public final class LoopLocal<Value>: @unchecked Sendable {
    private let owner: EventLoop
    private var held: Value?

    /// - Parameter owner: the only loop on which the value may be placed or asked for.
    public init(_ owner: EventLoop) {
        self.owner = owner
    }

    /// Puts the value in its place. Before that, ``value(on:)`` is nil.
    public func place(_ value: Value?, on loop: isolated EventLoop) {
        precondition(loop === owner, "a loop's value was asked for on another loop")
        held = value
    }

    /// The value, on the loop that owns it; a call from another loop is our own mistake and traps.
    public func value(on loop: isolated EventLoop) -> Value? {
        precondition(loop === owner, "a loop's value was asked for on another loop")
        return held
    }
}
