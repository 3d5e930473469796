// What a test expects to be thrown.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>

#include "cairn/base/error.hpp"

namespace cairn::test {

template <class Action>
std::optional<Error> error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// Fails unless `action` throws an Error of this kind, on this rank, whose message has all of `parts`.
template <class Action>
void expect_error(Action action, ErrorKind kind, std::initializer_list<const char*> parts) {
  const std::optional<Error> error = error_of(action);
  const std::string message = error ? error->what() : "nothing was thrown";
  EXPECT_TRUE(error && error->kind() == kind) << message;
  for (const char* part : parts) EXPECT_THAT(message, testing::HasSubstr(part));
}

}  // namespace cairn::test
