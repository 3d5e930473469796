// Products with exp(-gamma |x - y|²) of points in three dimensions by H2Pack's H² matrices.
//
//   h2pack_gaussian POINTS N GAMMA TOLERANCE      POINTS: N rows of three float64
//
// Prints one line of JSON: seconds to find proxy points and to build, bytes of the matrix, seconds of a product, and the relative error
// |(K - H) X| / |K X| over 1,000 rows, X eight columns of random signs, which is that of the matrix in Frobenius' norm.
#include <H2Pack.h>
#include <H2Pack_kernels.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { dimension = 3, columns = 8, checked = 1000 };

static void fail(const char* what) {
  fprintf(stderr, "h2pack_gaussian: %s\n", what);
  exit(2);
}

// Coordinate by coordinate, as H2Pack takes them.
static double* read_points(const char* path, int n) {
  double* points = malloc_aligned(sizeof(double) * (size_t)n * dimension, 64);
  FILE* file = fopen(path, "rb");
  if (points == NULL || file == NULL) fail("the points cannot be read");
  for (int i = 0; i < n; ++i) {
    double row[dimension];
    if (fread(row, sizeof row, 1, file) != 1) fail("the points end too soon");
    for (int k = 0; k < dimension; ++k) points[(size_t)k * n + i] = row[k];
  }
  fclose(file);
  return points;
}

static double squared_error(const double* points, int n, double gamma, const double* x, const double* y, double* norm) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int c = 0; c < checked; ++c) {
    const int i = (int)((long long)c * n / checked);
    double exact = 0;
    for (int j = 0; j < n; ++j) {
      double square = 0;
      for (int k = 0; k < dimension; ++k) {
        const double difference = points[(size_t)k * n + i] - points[(size_t)k * n + j];
        square += difference * difference;
      }
      exact += exp(-gamma * square) * x[j];
    }
    sum += (exact - y[i]) * (exact - y[i]);
#pragma omp atomic
    *norm += exact * exact;
  }
  return sum;
}

int main(int argc, char** argv) {
  if (argc != 5) fail("usage: h2pack_gaussian POINTS N GAMMA TOLERANCE");
  const int n = atoi(argv[2]);
  double gamma = atof(argv[3]), tolerance = atof(argv[4]);
  if (n < checked || !(gamma > 0) || !(tolerance > 0)) fail("N, GAMMA or TOLERANCE is out of range");
  double* points = read_points(argv[1], n);

  const double start = get_wtime_sec();
  H2Pack_p matrix;
  H2P_dense_mat_p* proxies;
  H2P_init(&matrix, dimension, 1, QR_REL_NRM, &tolerance);
  H2P_calc_enclosing_box(dimension, n, points, NULL, &matrix->root_enbox);
  H2P_partition_points(matrix, n, points, 0, 0.0);
  const double found = get_wtime_sec();
  H2P_generate_proxy_point_ID_file(matrix, &gamma, Gaussian_3D_eval_intrin_t, NULL, &proxies);
  const double proxy = get_wtime_sec() - found;
  H2P_build(matrix, proxies, 0, &gamma, Gaussian_3D_eval_intrin_t, Gaussian_3D_krnl_bimv_intrin_t, Gaussian_3D_krnl_bimv_flop);
  const double build = get_wtime_sec() - start - proxy;

  double* x = malloc(sizeof(double) * (size_t)n);
  double* y = malloc(sizeof(double) * (size_t)n);
  if (x == NULL || y == NULL) fail("there is no memory");
  double error = 0, norm = 0, seconds[columns];
  srand48(1);
  for (int c = 0; c < columns; ++c) {
    for (int i = 0; i < n; ++i) x[i] = drand48() < 0.5 ? -1.0 : 1.0;
    const double before = get_wtime_sec();
    H2P_matvec(matrix, x, y);
    seconds[c] = get_wtime_sec() - before;
    error += squared_error(points, n, gamma, x, y, &norm);
  }
  double best = seconds[0];
  for (int c = 1; c < columns; ++c) best = fmin(best, seconds[c]);
  const double bytes = 8.0 * (double)(matrix->mat_size[U_SIZE_IDX] + matrix->mat_size[B_SIZE_IDX] + matrix->mat_size[D_SIZE_IDX]);
  printf("{\"proxy_seconds\": %.4g, \"build_seconds\": %.4g, \"bytes\": %.0f, \"product_seconds\": %.4g, \"relative_error\": %.3g}\n",
         proxy, build, bytes, best, sqrt(error / norm));
  H2P_destroy(&matrix);
  free(x);
  free(y);
  free_aligned(points);
  return 0;
}
