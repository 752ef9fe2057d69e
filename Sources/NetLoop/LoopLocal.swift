/// A value that belongs to one event loop, in a box that closures on other threads can hold.
// Unchecked: the compiler cannot see that all access checks that it runs on the owning loop. So no two threads ever
// access the value.
public final class LoopLocal<Value>: @unchecked Sendable {
    private let owner: EventLoop
    private var held: Value?

    /// - Parameter owner: the only loop that may set or read the value.
    public init(_ owner: EventLoop) {
        self.owner = owner
    }

    /// Sets the value. Before that, ``value(on:)`` is nil.
    public func place(_ value: Value?, on loop: isolated EventLoop) {
        precondition(loop === owner, "a loop's value was used on another loop")
        held = value
    }

    /// Returns the value, on the loop that owns it. Traps on another loop, which is a programming error.
    public func value(on loop: isolated EventLoop) -> Value? {
        precondition(loop === owner, "a loop's value was used on another loop")
        return held
    }
}
