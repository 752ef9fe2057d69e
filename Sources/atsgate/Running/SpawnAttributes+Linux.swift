#if os(Linux)
import Glibc

/// A structure here, a pointer on macOS.
func emptySpawnAttributes() -> posix_spawnattr_t { posix_spawnattr_t() }

/// As above.
func emptySpawnActions() -> posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
#endif
