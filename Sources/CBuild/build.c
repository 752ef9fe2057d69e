#include "CBuild.h"

/* Defined by Package.swift, from the environment of the build. */
#ifndef ATSGATE_PAGES
#define ATSGATE_PAGES ""
#endif

const char *cbuild_pages(void) { return ATSGATE_PAGES; }
