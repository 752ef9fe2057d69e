#if os(Linux)
import Glibc

/// A structure here, a pointer on macOS.
func emptySpawnAttributes() -> posix_spawnattr_t { posix_spawnattr_t() }
#endif
