// CAIRN_EACH_LEVEL in front of a function: it is compiled once for each level of the processor family, and the best is
// chosen when the program is loaded. Not where a sanitizer is built in, which is not ready by then. Not for templates.
//
// A template is written three times where CAIRN_LEVELS is defined, with CAIRN_LEVEL_V3 and CAIRN_LEVEL_V4 in front of
// two of them, and CAIRN_BEST_LEVEL(any, v3, v4) is the best; where it is not, only `any` is needed.
#pragma once

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(CAIRN_SANITIZED)
#define CAIRN_EACH_LEVEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define CAIRN_LEVELS
#define CAIRN_LEVEL_V3 __attribute__((target("arch=x86-64-v3")))
#define CAIRN_LEVEL_V4 __attribute__((target("arch=x86-64-v4")))
#define CAIRN_BEST_LEVEL(any, v3, v4) \
  (__builtin_cpu_supports("x86-64-v4") ? (v4) : __builtin_cpu_supports("x86-64-v3") ? (v3) : (any))
#else
#define CAIRN_EACH_LEVEL
#define CAIRN_BEST_LEVEL(any, v3, v4) (any)
#endif
