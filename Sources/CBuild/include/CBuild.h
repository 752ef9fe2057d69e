#ifndef CBUILD_H
#define CBUILD_H

/// What a build knows of itself: where the pages of docs of this version stand; empty for nowhere.
const char *_Nonnull cbuild_pages(void);

#endif
