// Texts cut into symbols. Private to the folders that read sequences.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace cairn {

/// Calls symbol(s) for what stands between blanks (ASCII blanks and tabs), in its order.
/// @throws Error(input) for bytes that are not UTF-8, or a byte 0. Local.
void cut_at_blanks(std::string_view text, const std::function<void(std::string_view)>& symbol);

/// The same for each character of `text` (a code point), blanks too.
void cut_characters(std::string_view text, const std::function<void(std::string_view)>& symbol);

/// The same for the elements (a)(b) of a sequence of KeLP, which may hold anything but a closing bracket.
/// @throws Error(input), too, for a bracket that is missing, text between elements, or an element that is empty
void cut_elements(std::string_view text, const std::function<void(std::string_view)>& symbol);

}  // namespace cairn
