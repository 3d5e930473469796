#include "kind_samples.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

namespace cairn::test {

namespace {

constexpr Index n = sample_objects, new_objects = 6;

// Objects of a file, by numbers that they are made of.
struct SampleFile {
  const char* name;
  Index first, count;
};

// A number in [0, 1) of two others, the same everywhere.
double drawn(Index i, Index j) { return static_cast<double>((i * 7919 + 31) * (j + 2) * 104729 % 1009) / 1009; }

void write(const std::string& path, const std::function<void(std::ostream&)>& fill) {
  std::ofstream file(path);
  file.precision(17);
  fill(file);
}

std::string word(Index k) {
  return fmt::format("w{}{}", static_cast<char>('a' + k / 8), static_cast<char>('a' + k % 8));
}

// Three to six words of 24, of object i.
std::vector<std::string> words_of(Index i) {
  std::vector<std::string> words;
  for (Index k = 0; k < 3 + i % 4; ++k) words.push_back(word(static_cast<Index>(drawn(i, k) * 24)));
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& one : words) text += (text.empty() ? "" : " ") + one;
  return text;
}

const char* label(Index i) { return i % 2 == 0 ? "even" : "odd"; }

void write_points(const TemporaryFolder& folder) {
  for (const auto& [name, first, count] :
       std::initializer_list<SampleFile>{{"points.csv", 0, n}, {"new.csv", n, new_objects}}) {
    write(folder.file(name), [&](std::ostream& out) {
      out << "x,y,z,class\n";
      for (Index i = first; i < first + count; ++i) {
        out << drawn(i, 0) << ',' << drawn(i, 1) << ',' << drawn(i, 2) << ',' << label(i) << '\n';
      }
    });
  }
}

void write_factors(const TemporaryFolder& folder) {
  for (const auto& [name, first, count] :
       std::initializer_list<SampleFile>{{"u.csv", 0, n}, {"v.csv", 50, n - 10}, {"new.csv", 90, new_objects}}) {
    write(folder.file(name), [&](std::ostream& out) {
      out << "x,y,z\n";
      for (Index i = first; i < first + count; ++i) {
        out << drawn(i, 0) - 0.5 << ',' << drawn(i, 1) << ',' << drawn(i, 2) << '\n';
      }
    });
  }
}

// As NumPy writes it.
void write_matrix(const std::string& path) {
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", n, n);
  header.resize(117, ' ');
  write(path, [&](std::ostream& out) {
    out.write("\x93NUMPY\x01\x00\x76\x00", 10) << header << '\n';
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        const double x = drawn(i, 0) - drawn(j, 0), y = drawn(i, 1) - drawn(j, 1);
        const double value = std::exp(-x * x - y * y) + (i == j ? 0.1 : 0.0);
        out.write(reinterpret_cast<const char*>(&value), sizeof value);
      }
    }
  });
}

// A grid of 4 x 7, with a tree of two vertices.
void write_graph(const TemporaryFolder& folder) {
  write(folder.file("graph.txt"), [](std::ostream& out) {
    for (Index v = 0; v < 28; ++v) {
      if (v % 7 < 6) out << v << ' ' << v + 1 << ' ' << 1 + drawn(v, 0) << '\n';
      if (v + 7 < 28) out << v << ' ' << v + 7 << ' ' << 1 + drawn(v, 1) << '\n';
    }
    out << "27 28 1.5\n28 29 0.5\n";
  });
}

void write_mesh(const TemporaryFolder& folder) {
  write(folder.file("mesh.obj"), [](std::ostream& out) {
    for (Index v = 0; v < n; ++v)
      out << "v " << v % 6 << ' ' << static_cast<double>(v / 6) * 1.1 << ' ' << drawn(v, 0) << '\n';
    for (Index v = 0; v + 6 < n; ++v) {
      if (v % 6 == 5) continue;
      out << "f " << v + 1 << ' ' << v + 2 << ' ' << v + 8 << "\nf " << v + 1 << ' ' << v + 8 << ' ' << v + 7 << '\n';
    }
  });
}

void write_vectors(const TemporaryFolder& folder) {
  write(folder.file("vectors.txt"), [](std::ostream& out) {
    for (Index k = 0; k < 24; ++k)
      out << word(k) << ' ' << drawn(k, 0) << ' ' << drawn(k, 1) << ' ' << drawn(k, 2) << '\n';
  });
}

void write_texts(const TemporaryFolder& folder) {
  write_vectors(folder);
  for (const auto& [name, first, count] :
       std::initializer_list<SampleFile>{{"texts.tsv", 0, n}, {"more.tsv", 0, 5 * n}, {"new.tsv", n, new_objects}}) {
    write(folder.file(name), [&](std::ostream& out) {
      for (Index i = first; i < first + count; ++i) out << label(i) << '\t' << joined(words_of(i)) << '\n';
    });
  }
}

// The words of object i as a tree.
std::string tree(Index i) {
  std::string text = "(S";
  for (const std::string& one : words_of(i)) text += fmt::format("({}(LEX##{}::n))", one < "wb" ? "N" : "V", one);
  return text + ")";
}

void write_trees(const TemporaryFolder& folder) {
  write_vectors(folder);
  for (const auto& [name, first, count] :
       std::initializer_list<SampleFile>{{"trees.klp", 0, n}, {"new.klp", n, new_objects}}) {
    write(folder.file(name), [&](std::ostream& out) {
      for (Index i = first; i < first + count; ++i) {
        out << fmt::format("{} |BT:t| {} |ET| |BV:f| x:{} y:{} |EV|\n", label(i), tree(i), 0.1 + drawn(i, 0), 0.1 + drawn(i, 1));
      }
    });
  }
}

void write_sequences(const TemporaryFolder& folder) {
  for (const auto& [name, first, count] :
       std::initializer_list<SampleFile>{{"lines.tsv", 0, n}, {"new.tsv", n, new_objects}}) {
    write(folder.file(name), [&](std::ostream& out) {
      for (Index i = first; i < first + count; ++i) out << label(i) << '\t' << joined(words_of(i)) << '\n';
    });
  }
}

void write_pairs(const TemporaryFolder& folder) {
  write_vectors(folder);
  for (const auto& [name, first, count] :
       std::initializer_list<SampleFile>{{"pairs.klp", 0, n}, {"new.klp", n, new_objects}}) {
    write(folder.file(name), [&](std::ostream& out) {
      for (Index i = first; i < first + count; ++i) {
        out << fmt::format("{} |<| |BT:t| {} |ET| |,| |BT:t| {} |ET| |>| |BV:f| x:{} y:{} |EV|\n", label(i), tree(i),
                           tree(i + 40), 0.1 + drawn(i, 0), 0.1 + drawn(i, 1));
      }
    });
  }
}

// 1 / (1 + a distance) of numbers, points or texts, by a program of its own.
void write_scorer(const TemporaryFolder& folder) {
  write(folder.file("score.py"), [](std::ostream& out) {
    out << "import json, sys\n\ndef far(x, y):\n    if isinstance(x, list): return sum(map(far, x, y))\n"
           "    return abs(len(x) - len(y)) if isinstance(x, str) else abs(x - y)\n\n"
           "for line in sys.stdin:\n    for x, y in json.loads(line):\n        print(1 / (1 + far(x, y)))\n"
           "    print(flush=True)\n";
  });
}

Words one_file(const TemporaryFolder& folder, const char* name) { return {"--data.path", folder.file(name)}; }

}  // namespace

const std::vector<KindSample>& kind_samples() {
  static const std::vector<KindSample> samples = {
      {"points", write_points,
       [](const auto& f) {
         return one_file(f, "points.csv") + Words{"--data.label", "class"};
       },
       [](const auto& f) {
         return one_file(f, "new.csv") + Words{"--data.label", "class"};
       },
       true},
      {"factors", write_factors,
       [](const auto& f) {
         return one_file(f, "u.csv") + Words{"--data.right-path", f.file("v.csv")};
       },
       [](const auto& f) { return one_file(f, "new.csv"); }},
      {"matrix", [](const auto&) {}, [](const auto& f) { return one_file(f, "k.npy"); }},
      {"graph", write_graph, [](const auto& f) { return one_file(f, "graph.txt"); }},
      {"mesh", write_mesh, [](const auto& f) { return one_file(f, "mesh.obj"); }},
      {"documents", write_texts,
       [](const auto& f) {
         return one_file(f, "texts.tsv") + Words{"--data.label", "1", "--data.vectors", f.file("vectors.txt")};
       },
       [](const auto& f) {
         return one_file(f, "new.tsv") + Words{"--data.label", "1", "--data.vectors", f.file("vectors.txt")};
       },
       true},
      {"trees", write_trees,
       [](const auto& f) {
         return one_file(f, "trees.klp") + Words{"--data.vectors", f.file("vectors.txt"), "--data.features", "f"};
       },
       [](const auto& f) {
         return one_file(f, "new.klp") + Words{"--data.vectors", f.file("vectors.txt")};
       },
       true},
      {"sequences", write_sequences,
       [](const auto& f) {
         return one_file(f, "lines.tsv") + Words{"--data.label", "1", "--data.text", "2"};
       },
       [](const auto& f) {
         return one_file(f, "new.tsv") + Words{"--data.label", "1", "--data.text", "2"};
       },
       true},
      {"pairs", write_pairs,
       [](const auto& f) {
         return one_file(f, "pairs.klp") + Words{"--data.vectors", f.file("vectors.txt")};
       },
       [](const auto& f) {
         return one_file(f, "new.klp") + Words{"--data.vectors", f.file("vectors.txt")};
       },
       true},
      {"corpus", write_texts,
       [](const auto& f) {
         return one_file(f, "more.tsv") + Words{"--data.text", "2", "--data.window", "3", "--data.minimum-count", "1"};
       },
       [](const auto& f) { return one_file(f, "new.tsv"); }, true},
      {"ids", [](const auto&) {},
       [](const auto&) {
         return Words{"--data.count", std::to_string(n)};
       }},
  };
  return samples;
}

void write_sample(const TemporaryFolder& folder, const KindSample& sample) {
  sample.write(folder);
  write_matrix(folder.file("k.npy"));
  write_scorer(folder);
  write(folder.file("y.csv"), [](std::ostream& out) {
    out << "y\n";
    for (Index i = 0; i < n; ++i) out << drawn(i, 0) << '\n';
  });
}

Words similarity_keys(const TemporaryFolder& folder, const std::string& kind, const std::string& similarity) {
  Words keys = {"--similarity.kind", similarity};
  if (similarity == "matrix" || similarity == "external") keys = keys + Words{"--similarity.meaning", "similarity"};
  if (similarity == "matrix" && kind != "matrix") keys = keys + Words{"--similarity.path", folder.file("k.npy")};
  if (similarity == "external") keys = keys + Words{"--similarity.command", "python3 " + folder.file("score.py")};
  if (similarity == "function") keys = keys + Words{"--similarity.function", "logistic"};
  if (similarity == "sum" || similarity == "product") {
    keys = keys + Words{"--similarity.parts", kind == "pairs" ? "linear,ptk" : "rbf,linear"};
  }
  return keys;
}

}  // namespace cairn::test
