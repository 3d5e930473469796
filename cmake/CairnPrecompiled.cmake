# Headers that nearly every source reads, compiled once for each library: GCC shares them only between equal options.
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without them.
set(CAIRN_COMMON_HEADERS <algorithm> <array> <cmath> <cstddef> <cstdint> <filesystem> <functional> <limits> <map> <memory>
    <numeric> <optional> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector> <mpi.h> <fmt/format.h>)
