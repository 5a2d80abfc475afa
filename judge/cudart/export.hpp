#pragma once
// How a function becomes part of the library's C interface. Everything else stays hidden inside of the shared object.

/// Gives a function C linkage and makes it visible outside of the library.
#define WARPBOOK_EXPORT extern "C" __attribute__((visibility("default")))

/// A second name for a function of the same file. Streams are synchronous here, so the variants that `-default-stream per-thread`
/// asks for (_ptds, _ptsz) are the functions themselves.
#define WARPBOOK_ALSO(other, name) WARPBOOK_EXPORT decltype(name) other __attribute__((alias(#name)))
