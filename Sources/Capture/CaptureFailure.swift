import CCapture
import NetLoop
import Text

/// The reason why a command cannot get its own network, or cannot start in it.
public enum CaptureFailure: Error, Hashable, Sendable {
    /// The system is not Linux, or was built without namespaces.
    case unknownHere
    /// The system does not allow this user or this container to create namespaces.
    case forbidden(Prohibition)
    /// Another step failed, for example because one of our ports is in use in the new network.
    case failed(step: String, errno: Int32)
    /// The command itself cannot be started: not found, not executable.
    case command(errno: Int32)

    /// The cause of a prohibition.
    public enum Prohibition: Hashable, Sendable {
        /// `kernel.apparmor_restrict_unprivileged_userns` is 1, as on Ubuntu from 23.10 on.
        case appArmor
        /// `kernel.unprivileged_userns_clone` is 0, the default in Debian kernels before 11.
        case debianSwitch
        /// `user.max_user_namespaces` is 0, or all are in use.
        case limit
        /// Another cause: a container's seccomp filter or missing capabilities.
        case container
    }

    package init(step: Int32, errno code: Int32) {
        switch code {
        case ENOSYS: self = .unknownHere
        case EINVAL where step == Int32(CCAPTURE_NAMESPACES): self = .unknownHere
        case _ where step == Int32(CCAPTURE_EXECUTING): self = .command(errno: code)
        case ENOSPC where step == Int32(CCAPTURE_NAMESPACES), EUSERS: self = .forbidden(.limit)
        case EPERM, EACCES: self = .forbidden(Prohibition.found())
        default: self = .failed(step: Self.words(step), errno: code)
        }
    }

    init(_ error: NetError) { self = .failed(step: "listening: \(error)", errno: 0) }

    private static func words(_ step: Int32) -> String {
        switch step {
        case Int32(CCAPTURE_STARTING): "starting a process"
        case Int32(CCAPTURE_NAMESPACES): "making namespaces"
        case Int32(CCAPTURE_IDENTITY): "mapping the user"
        case Int32(CCAPTURE_LOOPBACK): "raising the interface lo"
        case Int32(CCAPTURE_ROUTES): "setting routes"
        case Int32(CCAPTURE_SOCKETS): "listening"
        case Int32(CCAPTURE_HANDING_OVER): "handing sockets over"
        default: "entering the namespaces"
        }
    }
}

extension CaptureFailure.Prohibition {
    /// Finds the cause in the system's settings. Sources: user_namespaces(7); namespaces(7), /proc/sys/user; Ubuntu
    /// 23.10 release notes, "Restricted unprivileged user namespaces"; Debian's kernel patch of that name.
    package static func found(read: (String) -> String? = Self.setting) -> Self {
        if read("kernel/apparmor_restrict_unprivileged_userns") == "1" { return .appArmor }
        if read("kernel/unprivileged_userns_clone") == "0" { return .debianSwitch }
        if read("user/max_user_namespaces") == "0" { return .limit }
        return .container
    }

    /// - Parameter name: below `/proc/sys`.
    package static func setting(_ name: String) -> String? {
        guard let file = fopen("/proc/sys/" + name, "re") else { return nil }
        defer { fclose(file) }
        let digit = fgetc(file)
        return (0...127).contains(digit) ? String(UnicodeScalar(UInt8(digit))) : nil
    }
}

extension CaptureFailure: CustomStringConvertible {
    /// The problem and the next step, without a full stop.
    public var description: String {
        switch self {
        case .unknownHere: "--capture needs Linux with network and user namespaces: run without it"
        case .forbidden(let prohibition):
            "--capture is forbidden here: \(prohibition.words), or run without --capture; see docs/capture.md"
        case .failed(let step, 0): "--capture failed while \(step)"
        case .failed(let step, let code): "--capture failed while \(step): \(SystemWords.error(code))"
        case .command(let code): SystemWords.error(code)
        }
    }
}

extension CaptureFailure.Prohibition {
    fileprivate var words: String {
        switch self {
        case .appArmor:
            "AppArmor prevents users from creating namespaces; run sudo sysctl -w "
                + "kernel.apparmor_restrict_unprivileged_userns=0"
        case .debianSwitch:
            "users may not create namespaces; run sudo sysctl -w kernel.unprivileged_userns_clone=1"
        case .limit: "the limit on namespaces is reached; run sudo sysctl -w user.max_user_namespaces=1000"
        case .container:
            "this container, or the parent of this process, does not allow namespaces; use docker run --security-opt "
                + "seccomp=unconfined --security-opt apparmor=unconfined"
        }
    }
}
