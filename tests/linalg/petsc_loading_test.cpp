// PETSc and SLEPc are loaded when they are first needed, not with the program. (This one is not linked with them.)
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include "cairn/base/error.hpp"
#include "cairn/base/heap.hpp"
#include "cairn/linalg/dense/dense_algorithms.hpp"
#include "cairn/linalg/krylov/krylov_schur.hpp"
#include "cairn/linalg/sparse/petsc.hpp"
#include "test_communicator.hpp"

namespace cairn::petsc_loading_test {
namespace {

using test::world;
using testing::AllOf;
using testing::HasSubstr;

bool is_loaded(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library != nullptr) dlclose(library);
  return library != nullptr;
}

std::string refusal(const std::vector<std::string>& files) {
  try {
    petsc::load(files);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    return error.what();
  }
  return "";
}

TEST(PetscLoading, ComesWithTheFirstUseAndNotWithTheProgram) {
  const std::vector<std::string> files = petsc::library_files();
  if (files.empty()) GTEST_SKIP() << "PETSc and SLEPc are linked; a build with CAIRN_LINK_PETSC=OFF runs it";
  EXPECT_FALSE(is_loaded(files.back()));
  EXPECT_EQ(petsc::VecSet, nullptr);
  return_large_blocks();

  // What cannot be used leaves nothing behind that would keep the next one from being used.
  EXPECT_THAT(
      refusal({"/no/such/libslepc.so", "libnobody.so.1"}),
      AllOf(HasSubstr("SLEPc and PETSc cannot be loaded; /no/such/libslepc.so: "), HasSubstr("; libnobody.so.1: ")));
  EXPECT_THAT(refusal({"/no/such/libslepc.so", "libm.so.6"}),
              HasSubstr("that were loaded have no BVSetType; they are not of"));
  EXPECT_FALSE(is_loaded(files.back()));

  prepare_smallest_eigenvalue(world(), lanczos_threshold);
  EXPECT_FALSE(is_loaded(files.back()));
  EXPECT_EQ(smallest_eigenvalue_libraries(lanczos_threshold), 0);

  const SymmetricOperator identity{RowPartition(20, world().size()), [](const double* x, double* y) {
                                     std::copy_n(x, RowPartition(20, world().size()).range(world().rank()).size(), y);
                                   }};
  EXPECT_DOUBLE_EQ(extreme_eigenpairs(world(), identity, {}).values.at(0), 1.0);
  EXPECT_TRUE(is_loaded(files.back()));
  EXPECT_NE(petsc::VecSet, nullptr);
  EXPECT_EQ(refusal({"/no/such/libslepc.so"}), "") << "it is loaded already";
}

TEST(PetscLoading, LargeMatricesAnnounceThatTheyNeedIt) {
  prepare_smallest_eigenvalue(world(), lanczos_threshold + 1);
  EXPECT_NE(petsc::communicator_of_all, nullptr);
  EXPECT_GE(smallest_eigenvalue_libraries(lanczos_threshold + 1), Index{12} << 20);
}

// SuperLU_DIST, which PETSc brings along, has all blocks come from the heap when it is loaded.
TEST(PetscLoading, LargeBlocksStillComeFromTheSystem) {
  if (mallinfo2().arena == 0) GTEST_SKIP() << "malloc is a sanitizer's; a build without one runs it";
  if (petsc::communicator_of_all == nullptr) return_large_blocks();  // before it is loaded
  petsc::load();
  const std::size_t before = mallinfo2().hblks;
  const std::vector<char> large(std::size_t{4} << 20);
  EXPECT_EQ(mallinfo2().hblks, before + 1);
}

}  // namespace
}  // namespace cairn::petsc_loading_test
