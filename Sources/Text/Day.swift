/// A UTC day in POSIX time, which has no leap seconds. Source: IEEE Std 1003.1-2017, section 4.16.
public enum Day {
    /// Inlinable, so that it is a constant in other targets, too.
    @inlinable public static var seconds: Int64 { 86_400 }
}
