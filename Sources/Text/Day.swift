/// A day of UTC as POSIX counts it: none has a leap second. Source: IEEE Std 1003.1-2017, section 4.16.
public enum Day {
    /// Here so that it is one number also where it is used in another target.
    @inlinable public static var seconds: Int64 { 86_400 }
}
