#include "cairn/data/io/json_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cairn/base/error.hpp"

namespace cairn {

namespace {

using Json = nlohmann::json;

// Takes the fields as the parser meets them; nothing else of the object is kept.
class FieldReader final : public nlohmann::json_sax<Json> {
 public:
  explicit FieldReader(const std::vector<std::string>& names) : names_(names), values_(names.size()) {}

  [[nodiscard]] std::vector<std::optional<std::string>> take() { return std::move(values_); }
  [[nodiscard]] const std::string& failure() const { return failure_; }

  bool null() override { return depth_ > 0 || refuse("it is no JSON object"); }
  bool boolean(bool value) override { return put(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return put(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return put(std::to_string(value)); }
  bool number_float(number_float_t /*value*/, const string_t& text) override { return put(text); }
  bool string(string_t& value) override { return put(value); }
  bool binary(binary_t& /*value*/) override { return refuse("it holds binary data"); }

  bool start_object(std::size_t /*elements*/) override {
    if (depth_ > 0 && current_ != nullptr) return refuse(fmt::format("its field '{}' holds an object", name()));
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    if (depth_ == 0) return refuse("it is no JSON object");
    if (current_ != nullptr && depth_ > 1) return refuse(fmt::format("its field '{}' holds an array in one", name()));
    if (current_ != nullptr) current_->emplace();
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool key(string_t& key) override {
    if (depth_ != 1) return true;
    current_ = nullptr;
    const auto found = std::find(names_.begin(), names_.end(), key);
    if (found == names_.end() || key.empty()) return true;
    current_ = &values_[static_cast<std::size_t>(found - names_.begin())];
    return !current_->has_value() || refuse(fmt::format("its field '{}' is a duplicate", key));
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/, const Json::exception& error) override {
    const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
    const std::size_t column = what.find("column");
    return refuse("it is no JSON object: " + (column == std::string::npos ? what : what.substr(column)));
  }

 private:
  [[nodiscard]] std::string name() const { return names_[static_cast<std::size_t>(current_ - values_.data())]; }
  bool put(const std::string& text) {
    if (depth_ == 0) return refuse("it is no JSON object");
    if (current_ == nullptr) return true;
    if (!current_->has_value()) {
      current_->emplace(text);
    } else {
      if (!(*current_)->empty()) **current_ += ' ';
      **current_ += text;
    }
    return true;
  }
  bool refuse(std::string reason) {
    failure_ = std::move(reason);
    return false;
  }

  const std::vector<std::string>& names_;
  std::vector<std::optional<std::string>> values_;
  std::optional<std::string>* current_ = nullptr;  // the field that is being read, where it is one of `names`
  int depth_ = 0;                                  // of open objects and arrays
  std::string failure_;
};

}  // namespace

std::vector<std::optional<std::string>> read_json_fields(std::string_view text, const std::vector<std::string>& names) {
  FieldReader reader(names);
  if (!Json::sax_parse(text.begin(), text.end(), &reader)) throw Error(ErrorKind::input, reader.failure());
  return reader.take();
}

}  // namespace cairn
