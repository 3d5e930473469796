// Letters by SMS-Nystrom, and a cortex by biharmonic interpolation.    first_program FOLDER_OF_DATA
#include <cairn/run/session.hpp>
#include <cstdio>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (const cairn::Session session(MPI_COMM_WORLD); argc == 2) {
    const cairn::GivenValues letters = {{"path", std::string(argv[1]) + "/letter.csv.xz"}, {"label", "Letter"}};
    const auto rbf = cairn::similarity(session, "rbf", {{"gamma", "scale"}}, read_objects(session, "points", letters));
    auto result = cairn::approximate(session, rbf, "sms-nystrom", {{"landmarks.count", 200}});
    const double error = cairn::probe_error(session, result, rbf).relative_error;
    cairn::save(session, "letter.h5", result);
    const auto more = cairn::extend(session, cairn::load(session, "letter.h5"), letters);
    const auto surface = cairn::read_mesh(session, std::string(argv[1]) + "/brain-7502.obj.xz");
    const auto geodesics = cairn::similarity(session, "geodesic", surface);
    auto cortex = cairn::approximate(session, geodesics, "biharmonic", {{"landmarks.count", 300}});
    const double other = cairn::probe_error(session, cortex, geodesics).relative_error;
    if (session.communicator().is_root()) std::printf("%.3f %.3f %ld\n", error, other, static_cast<long>(more.size()));
  }
  MPI_Finalize();
}
