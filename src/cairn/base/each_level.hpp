// CAIRN_EACH_LEVEL in front of a function compiles it once per level of the processor family; the best version is
// selected when the program is loaded. It is off with a sanitizer, which is not ready by then. Not for templates.
//
// If CAIRN_LEVELS is defined, a template is written three times: plainly, with CAIRN_LEVEL_V3 and with CAIRN_LEVEL_V4
// in front. CAIRN_BEST_LEVEL(any, v3, v4) selects the best one. Without CAIRN_LEVELS only `any` is needed.
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
