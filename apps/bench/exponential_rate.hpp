// How fast the best vector library takes exponentials.
#pragma once

namespace cairn::bench {

/// Exponentials a second of one thread on 1024 arguments between -10 and 0 that stay in the first-level cache, by the
/// better of libmvec (glibc) and, where it was found at build time, SLEEF (1 unit in the last place).
[[nodiscard]] double exponentials_a_second(double precision);
[[nodiscard]] double exponentials_a_second(float precision);

}  // namespace cairn::bench
