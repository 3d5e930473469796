// Rate of exponentials of the best vector library.
#pragma once

namespace cairn::bench {

/// Exponentials per second of one thread on 1024 arguments between -10 and 0 that stay in the first-level cache, by the
/// faster of libmvec (glibc) and, if it was found at build time, SLEEF (1 unit in the last place).
[[nodiscard]] double exponentials_a_second(double precision);
[[nodiscard]] double exponentials_a_second(float precision);

}  // namespace cairn::bench
