// What roads are made of: tags of ways, lengths on the sphere, lists of points, coordinates of DIMACS.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "../whole_graph.hpp"
#include "cairn/data/graph/point_list.hpp"
#include "cairn/data/graph/positions.hpp"
#include "cairn/data/great_circle.hpp"
#include "cairn/data/osm/car_road.hpp"

namespace cairn::test::road_data_test {
namespace {

std::optional<CarRoad> road_of(const std::map<std::string, std::string>& tags) {
  return car_road([&](const char* key) {
    const auto found = tags.find(key);
    return found == tags.end() ? nullptr : found->second.c_str();
  });
}

TEST(CarRoads, HaveDirections) {
  CAIRN_UP_TO_RANKS(1);
  const auto directions = [](std::map<std::string, std::string> tags) {
    tags.try_emplace("highway", "residential");
    const auto road = road_of(tags);
    return std::pair(road->forward, road->backward);
  };
  const std::pair both(true, true), along(true, false), against(false, true);
  EXPECT_EQ(directions({}), both);
  for (const char* value : {"yes", "true", "1"}) EXPECT_EQ(directions({{"oneway", value}}), along) << value;
  for (const char* value : {"-1", "reverse"}) EXPECT_EQ(directions({{"oneway", value}}), against) << value;
  for (const char* value : {"no", "0", "false", "reversible", ""}) EXPECT_EQ(directions({{"oneway", value}}), both);
  EXPECT_EQ(directions({{"highway", "motorway"}}), along);
  EXPECT_EQ(directions({{"highway", "motorway"}, {"oneway", "no"}}), both);
  EXPECT_EQ(directions({{"highway", "motorway_link"}}), both);
  EXPECT_EQ(directions({{"junction", "roundabout"}}), along);
  EXPECT_EQ(directions({{"junction", "circular"}, {"oneway", "-1"}}), against);
}

TEST(CarRoads, HaveSpeeds) {
  CAIRN_UP_TO_RANKS(1);
  const auto speed = [](const std::string& limit) {
    const auto road = road_of({{"highway", "secondary"}, {"maxspeed", limit}});
    EXPECT_EQ(road->speed_given, road->speed != 60) << limit;
    return road->speed;
  };
  EXPECT_EQ(speed("50"), 50);
  EXPECT_EQ(speed("50 km/h"), 50);
  EXPECT_EQ(speed("7.5"), 7.5);
  EXPECT_NEAR(speed("20 mph"), 32.18688, 1e-9);
  EXPECT_NEAR(speed("20mph"), 32.18688, 1e-9);
  EXPECT_EQ(speed("walk"), 7);
  EXPECT_EQ(speed("DE:walk"), 7);
  for (const char* limit : {"none", "RO:urban", "50;80", "0", "-5", "1e9", "nan", "inf", "", "50 knots"})
    EXPECT_EQ(speed(limit), 60);
}

// Against the angle of vectors in space, which is exact for places that are far from each other and from the antipode.
TEST(GreatCircle, IsTheAngleOfPlaces) {
  CAIRN_UP_TO_RANKS(1);
  const unsigned seed = 31;
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> longitude(-180, 180), latitude(-90, 90);
  constexpr double radian = std::numbers::pi / 180;
  for (int k = 0; k < 200; ++k) {
    const double x = longitude(random), y = latitude(random), u = longitude(random), v = latitude(random);
    const double cosine = std::sin(y * radian) * std::sin(v * radian) +
                          std::cos(y * radian) * std::cos(v * radian) * std::cos((x - u) * radian);
    EXPECT_NEAR(great_circle(x, y, u, v), earth_radius * std::acos(cosine), 1.0);
  }
  EXPECT_NEAR(great_circle(8, 47, 8, 47.00001), 1e-5 * radian * earth_radius, 1e-6);
  EXPECT_NEAR(great_circle(179.99999, 0, -179.99999, 0), 2e-5 * radian * earth_radius, 1e-6);
  EXPECT_NEAR(great_circle(0, 90, 123, 90), 0, 1e-6);
  EXPECT_NEAR(great_circle(0, 0, 180, 0), std::numbers::pi * earth_radius, 1e-6);
}

TEST(Points, HaveColumnsByNameOrTwoNumbers) {
  CAIRN_UP_TO_RANKS(1);
  const WrittenFiles files;
  const auto read = [&](const std::string& text) { return read_point_list(files.write("p.csv", text)); };
  using Points = std::vector<std::array<double, 2>>;
  const Points expected{{8.5, 47}, {-1, 1e-3}};
  for (const std::string text :
       {"8.5 47\n-1  1e-3\n", "# far\n\n8.5,47\n-1,1e-3\n", "Lat;name;LON\n47;\"a;b\";8.5\n.001;;-1\n",
        "latitude\tlongitude\r\n47\t8.5\r\n0.001\t-1\r\n", "y,x\n47,8.5\n0.001,-1\n"}) {
    const PointList list = read(text);
    EXPECT_EQ(list.points, expected) << text;
    EXPECT_EQ(list.degrees, text.starts_with('L') || text.starts_with('l'));
    EXPECT_TRUE(lists_points(files.path("p.csv"), false));
    EXPECT_EQ(lists_points(files.path("p.csv"), true), std::isalpha(static_cast<unsigned char>(text[0])) != 0);
  }
  EXPECT_EQ(read("# far\n\n1 2\n# near\n3 4\n").lines, (std::vector<Index>{3, 5}));
  for (const char* text : {"17\n4711\n", "17 # here\n", "Zug\n", "St. Gallen\n", "1 2 3\n", "a,b\n"}) {
    EXPECT_FALSE(lists_points(files.write("l.txt", text), false)) << text;
  }
  EXPECT_FALSE(coordinate_columns({"lon", "lat", "lat"}));
  EXPECT_FALSE(coordinate_columns({"lon", "y"}));
  expect_error([&] { (void)read("lat,lon\n1,2\n1,2,3\n"); }, ErrorKind::input, {"p.csv:3: has 3 fields instead of 2"});
}

TEST(Positions, AreReadOfDimacsAndInEitherOrder) {
  const WrittenFiles files;
  const RowPartition partition(40, world().size());
  std::string dimacs = "c\np aux sp co 40\n", table = "id,lat,lon\n";
  for (int k = 40; k > 0; --k) {
    dimacs += fmt::format("v {} {} {}\n", k, -1'000'000 * k, 500'000 * k);
    table += fmt::format("{},{},{}\n", k, 0.5 * k, -k);
  }
  for (const auto& [name, text] :
       {std::pair("p.co", dimacs), std::pair("p.co.gz", gzipped(dimacs)), std::pair("p.csv", table)}) {
    const std::string path = files.write(name, text);
    const RowBlock<double> positions = read_positions(world(), path, partition, {.first = 1});
    for (Index v = positions.range().begin; v < positions.range().end; ++v) {
      EXPECT_DOUBLE_EQ(positions.row(v)[0], -static_cast<double>(v + 1)) << name;
      EXPECT_DOUBLE_EQ(positions.row(v)[1], 0.5 * static_cast<double>(v + 1)) << name;
    }
    EXPECT_TRUE(positions_are_degrees(path));
  }
  EXPECT_FALSE(positions_are_degrees(files.write("q.csv", "id,x,y\n1,2,3\n")));
}

}  // namespace
}  // namespace cairn::test::road_data_test
