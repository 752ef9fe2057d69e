#if canImport(Darwin)
import Darwin

/// A pointer here, a structure on Linux.
func emptySpawnAttributes() -> posix_spawnattr_t? { nil }

/// As above.
func emptySpawnActions() -> posix_spawn_file_actions_t? { nil }
#endif
