// Element functions over whole rows, at the rate of the vector unit.
#pragma once

#include "cairn/base/index.hpp"

// Each function is compiled for several x86-64 levels; the level of the processor is chosen when the program starts.
// All are overloaded for float and double, never allocate, and propagate NaN. Those that return bool return true if all
// n results are finite. Exponentials, powers, sines and cosines are within 4 units in the last place (libmvec). Arrays
// must not overlap unless they are the same argument.

namespace cairn::vector_math {

// --- functions of a squared distance d2 = max(row_norm + column_norms[b] + values[b], 0), where values[b] = -2 x.y_b
// on entry and the result on return. With norms of 0 the values are squared distances themselves.

/// d2
bool squared(double row_norm, const double* column_norms, double* values, Index n);
bool squared(float row_norm, const float* column_norms, float* values, Index n);
/// exp(-gamma d2)
bool rbf(double row_norm, const double* column_norms, double gamma, double* values, Index n);
bool rbf(float row_norm, const float* column_norms, float gamma, float* values, Index n);
/// sqrt(d2)
bool distance(double row_norm, const double* column_norms, double* values, Index n);
bool distance(float row_norm, const float* column_norms, float* values, Index n);
/// Matern functions of t = sqrt(d2) * scale: exp(-t); (1 + t) exp(-t); (1 + t + t^2 / 3) exp(-t)
bool matern_1_2(double row_norm, const double* column_norms, double scale, double* values, Index n);
bool matern_1_2(float row_norm, const float* column_norms, float scale, float* values, Index n);
bool matern_3_2(double row_norm, const double* column_norms, double scale, double* values, Index n);
bool matern_3_2(float row_norm, const float* column_norms, float scale, float* values, Index n);
bool matern_5_2(double row_norm, const double* column_norms, double scale, double* values, Index n);
bool matern_5_2(float row_norm, const float* column_norms, float scale, float* values, Index n);

/// Number of b with row_norm + column_norms[b] + values[b] < fraction * (row_norm + column_norms[b]).
Index count_cancelled(double row_norm, const double* column_norms, const double* values, double fraction, Index n);
Index count_cancelled(float row_norm, const float* column_norms, const float* values, float fraction, Index n);

// --- functions of a number, in place

/// exp(-gamma v)
bool decay(double gamma, double* values, Index n);
bool decay(float gamma, float* values, Index n);
/// (gamma v + coef0)^degree
bool polynomial(double gamma, double coef0, double degree, double* values, Index n);
bool polynomial(float gamma, float coef0, float degree, float* values, Index n);
/// tanh(gamma v + coef0)
bool sigmoid(double gamma, double coef0, double* values, Index n);
bool sigmoid(float gamma, float coef0, float* values, Index n);
/// scale cos(v)
bool cosine(double scale, double* values, Index n);
bool cosine(float scale, float* values, Index n);
/// scale cos(v), and scale sin(v) into `sines`
bool circle(double scale, double* values, double* sines, Index n);
bool circle(float scale, float* values, float* sines, Index n);
/// v * row_factor * column_factors[b]
bool scale(double row_factor, const double* column_factors, double* values, Index n);
bool scale(float row_factor, const float* column_factors, float* values, Index n);
/// exp(shift + shifts[b] + scale v), and their sum without writing them; exponents are clipped to [-708, 700] (single:
/// [-87, 87])
void exponentials(double shift, const double* shifts, double scale, double* values, Index n);
void exponentials(float shift, const float* shifts, float scale, float* values, Index n);
double sum_exp(double shift, const double* shifts, double scale, const double* values, Index n);
float sum_exp(float shift, const float* shifts, float scale, const float* values, Index n);
/// weight v
bool multiply(double weight, double* values, Index n);
bool multiply(float weight, float* values, Index n);
/// values += weight * terms
bool add(double weight, const double* terms, double* values, Index n);
bool add(float weight, const float* terms, float* values, Index n);
/// values *= factors
bool multiply(const double* factors, double* values, Index n);
bool multiply(const float* factors, float* values, Index n);
/// True if all values are finite.
bool finite(const double* values, Index n);
bool finite(const float* values, Index n);

// --- reductions over coordinates

double dot(const double* x, const double* y, Index n);
float dot(const float* x, const float* y, Index n);
double squared_distance(const double* x, const double* y, Index n);
float squared_distance(const float* x, const float* y, Index n);
double manhattan_distance(const double* x, const double* y, Index n);
float manhattan_distance(const float* x, const float* y, Index n);

/// Columns of a panel: as many as current processors sum in registers.
template <class T>
inline constexpr Index panel_width = 512 / static_cast<Index>(sizeof(T));
/// out[b] = sum_k |x[k] - y_b[k]| for b < panel_width, where y_b[k] = panel[k * panel_width + b].
void manhattan_panel(const double* x, const double* panel, Index dimension, double* out);
void manhattan_panel(const float* x, const float* panel, Index dimension, float* out);
/// out[b] = x.y_b
void dot_panel(const double* x, const double* panel, Index dimension, double* out);
void dot_panel(const float* x, const float* panel, Index dimension, float* out);

}  // namespace cairn::vector_math
