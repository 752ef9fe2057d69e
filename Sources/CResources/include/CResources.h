#ifndef CRESOURCES_H
#define CRESOURCES_H

/// A text file of this repository, embedded at compile time. `#embed` costs no time, while an array in Swift takes the
/// compiler 16 seconds per megabyte (swift 6.3).
typedef struct {
    /// Kind and name, separated by a slash: `docs/law/tls.md`.
    const char *_Nonnull name;
    /// Ends with a zero.
    const unsigned char *_Nonnull text;
} CResource;

/// Returns the resource at an index, from 0; null after the last.
const CResource *_Nullable cresource(long place);

#endif
