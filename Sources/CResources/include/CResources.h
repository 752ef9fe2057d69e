#ifndef CRESOURCES_H
#define CRESOURCES_H

/// A text file of this repository, as it was when this was compiled. `#embed` takes no time, where an array in Swift takes
/// the compiler 16 seconds for a megabyte (swift 6.3).
typedef struct {
    /// The kind of file, a stroke, and its name: `docs/law/tls.md`.
    const char *_Nonnull name;
    /// Ends with a zero.
    const unsigned char *_Nonnull text;
} CResource;

/// The one at a place of the list, from 0; null behind the last.
const CResource *_Nullable cresource(long place);

#endif
