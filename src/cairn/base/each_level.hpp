// CAIRN_EACH_LEVEL in front of a function: it is compiled once for each level of the processor family, and the best is
// chosen when the program is loaded. Not where a sanitizer is built in, which is not ready by then. Not for templates.
#pragma once

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(CAIRN_SANITIZED)
#define CAIRN_EACH_LEVEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CAIRN_EACH_LEVEL
#endif
