// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reading the small text files of /proc and /sys.
namespace clotho {

/// The file's contents; empty when it cannot be read.
std::string readTextFile(const std::string& path);

/// A number alone on its line; empty for everything else ("max", "-1").
std::optional<std::uint64_t> parseNumber(std::string_view text);
std::optional<std::uint64_t> readNumber(const std::string& path);

/// The pieces between separators, at most `most` of them: the last keeps the rest.
std::vector<std::string_view> split(std::string_view text, char separator, std::size_t most = SIZE_MAX);

/// The text behind "key:" on its own line of `text`, without blanks around it.
std::string_view valueOf(std::string_view text, std::string_view key);

} // namespace clotho
