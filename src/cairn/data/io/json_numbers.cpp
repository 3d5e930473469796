#include "cairn/data/io/json_numbers.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_set>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

using Json = nlohmann::json;

class NumberReader final : public nlohmann::json_sax<Json> {
 public:
  std::vector<std::pair<std::string, double>> fields;
  std::string failure;

  bool null() override { return refuse_value("null"); }
  bool boolean(bool value) override { return refuse_value(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return put(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return put(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return put(value); }
  bool string(string_t& /*value*/) override { return refuse_value("a text"); }
  bool binary(binary_t& /*value*/) override { return refuse_value("binary data"); }
  bool start_object(std::size_t /*elements*/) override {
    if (inside_) return refuse_value("an object");
    inside_ = true;
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*elements*/) override { return refuse_value("an array"); }
  bool end_array() override { return true; }
  bool key(string_t& name) override {
    if (!names_.insert(name).second) return refuse(fmt::format("its field '{}' is a duplicate", name));
    fields.emplace_back(name, 0.0);
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/, const Json::exception& error) override {
    const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
    const std::size_t column = what.find("column");
    return refuse("it is no JSON object of numbers: " + (column == std::string::npos ? what : what.substr(column)));
  }

 private:
  bool put(double value) {
    if (!inside_) return refuse_value("a number");
    fields.back().second = value;
    return true;
  }
  bool refuse_value(const char* what) {
    if (!inside_) return refuse("it is no JSON object of numbers");
    return refuse(fmt::format("its field '{}' is {}, not a number", fields.back().first, what));
  }
  bool refuse(std::string reason) {
    failure = std::move(reason);
    return false;
  }

  std::unordered_set<std::string> names_;
  bool inside_ = false;
};

}  // namespace

std::vector<std::pair<std::string, double>> read_json_numbers(std::string_view text) {
  NumberReader reader;
  if (!Json::sax_parse(text.begin(), text.end(), &reader)) throw Error(ErrorKind::input, reader.failure);
  return std::move(reader.fields);
}

}  // namespace cairn
