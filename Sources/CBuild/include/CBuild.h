#ifndef CBUILD_H
#define CBUILD_H

/// Returns the URL of this version's pages of docs; empty if there is none.
const char *_Nonnull cbuild_pages(void);

#endif
