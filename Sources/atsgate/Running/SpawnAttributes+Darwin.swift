#if canImport(Darwin)
import Darwin

/// A pointer here, a structure on Linux.
func emptySpawnAttributes() -> posix_spawnattr_t? { nil }
#endif
