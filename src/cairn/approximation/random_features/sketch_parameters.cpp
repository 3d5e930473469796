#include "cairn/approximation/random_features/sketch_parameters.hpp"

namespace cairn {

std::vector<Parameter> sketch_parameters() {
  using enum ValueType;
  return {
      {.name = "features",
       .value = "N",
       .type = integer,
       .fallback = "101",
       .help = "Columns of the factor, at most.",
       .lowest = 2,
       .highest = 1e6},
      {.name = "degree",
       .value = "N",
       .type = integer,
       .fallback = "10",
       .help = "The degree of the polynomial; with allocation = optimal the largest that is tried.",
       .lowest = 1,
       .highest = 30},
      {.name = "allocation",
       .value = "NAME",
       .type = choice,
       .fallback = "optimal",
       .help = "optimal: monomials of principal components, or low degrees exactly and others sketched, whichever "
               "has the smaller predicted error. equal: as many columns for each degree, all sketched, as in the "
               "paper.",
       .choices = {"optimal", "equal"}},
      {.name = "sketch-columns",
       .value = "N",
       .type = integer,
       .help = "Columns of each degree with allocation = equal; by default (features - 1) / degree, "
               "rounded down (to an even number with sketch = complex).",
       .lowest = 2,
       .highest = 1e6},
      {.name = "sketch",
       .value = "NAME",
       .type = choice,
       .fallback = "tensor",
       .help = "How powers are sketched: tensor (CountSketches and Fourier transforms), complex (products of "
               "Hadamard projections, real and imaginary parts: less error, an even number of columns), or tree "
               "(a binary tree of sketches of degree 2: less error for high degrees).",
       .choices = {"tensor", "complex", "tree"}},
      {.name = "coefficients",
       .value = "NAME",
       .type = choice,
       .fallback = "uniform",
       .help = "Which rows of K choose the coefficients: uniform (drawn, at 8,192 columns that are drawn, too), "
               "coreset (greedy k-center), or all. Or a polynomial that is given: taylor (of the function about 0), "
               "chebyshev (with the function's values in the Chebyshev nodes), or file.",
       .choices = {"uniform", "coreset", "all", "taylor", "chebyshev", "file"}},
      {.name = "coefficients-file",
       .value = "FILE",
       .type = input_path,
       .help = "With coefficients = file: a number a line, of powers 0, 1, ... of the inner products that K is a "
               "function of (rbf: of points moved to their mean, unless center = false)."},
      {.name = "sample-rows",
       .value = "N",
       .type = integer,
       .fallback = "400",
       .help = "How many rows those are; if the polynomial is given, those that its error is predicted from.",
       .lowest = 1},
      {.name = "penalty",
       .value = "NAME",
       .type = choice,
       .fallback = "exact",
       .help =
           "What keeps coefficients small with allocation = equal: exact (the variance of the sketches), degree "
           "(the bound of the paper), or printed (the same with an exponent one higher, as printed there: it depends "
           "on the unit of the points; scale them, and let gamma be about 1).",
       .choices = {"exact", "degree", "printed"}},
      {.name = "hashes",
       .value = "NAME",
       .type = choice,
       .fallback = "independent",
       .help = "Whether each degree has hashes of its own (independent), or those of the degree below and one more "
               "(shared); with allocation = equal.",
       .choices = {"independent", "shared"}},
      {.name = "signs",
       .value = "NAME",
       .type = choice,
       .fallback = "any",
       .help = "Of the coefficients: any, or positive (none below 0), so that the columns are features of linear "
               "machines whose inner products approximate K, with a larger error.",
       .choices = {"any", "positive"}},
      {.name = "weigh",
       .value = "BOOL",
       .type = flag,
       .fallback = "true",
       .help = "Minimize the error of K; otherwise that of the function of inner products alone (rbf)."},
      {.name = "center",
       .value = "BOOL",
       .type = flag,
       .fallback = "true",
       .help = "Move the points to their mean if K does not change with it (rbf): inner products become smaller."}};
}

}  // namespace cairn
