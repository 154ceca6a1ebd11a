// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace clotho {

/// The purpose of a version of a kernel's code: common properties of its launches, and the number of work-items that
/// run at once. The runtime looks versions up by it, the compiler builds for it, and caches, logs and tools name it.
/// The empty value is the general code.
struct CodeVersion {
  /// The local size of each launch.
  struct LocalSize {
    std::array<std::uint32_t, 3> size;
    bool mayHaveOffset; ///< launches may have a global offset

    bool operator==(const LocalSize&) const = default;
  };
  /// Launches have rows (GroupLimits::rows) and no global offset.
  enum class Rows : std::uint8_t {
    Partial, ///< the last row may lack work-items
    Whole,
  };
  /// Format of an image, in the form that abi/image_formats.hpp uses.
  struct Format {
    std::uint32_t order, type; ///< cl_channel_order and cl_channel_type
    bool isSmall;              ///< ImageFormat::isSmall

    bool operator==(const Format&) const = default;
    std::string text() const;
    static std::optional<Format> parse(std::string_view text);
  };
  /// Number of a sampler (abi/image.h).
  struct Sampler {
    std::uint64_t number;

    bool operator==(const Sampler&) const = default;
  };
  /// An unsigned integer argument.
  struct Integer {
    std::uint64_t value;

    bool operator==(const Integer&) const = default;
  };
  struct Argument {
    std::uint32_t index = 0;
    std::variant<Format, Sampler, Integer> what{};

    bool operator==(const Argument&) const = default;
  };

  std::optional<LocalSize> local;
  std::optional<Rows> rows;
  std::vector<Argument> arguments; ///< Sorted by index
  std::uint32_t width = 0;         ///< 0: chosen by the compiler

  bool operator==(const CodeVersion&) const = default;
  bool isGeneral() const { return isForAnyLaunch() && width == 0; }
  bool isForAnyLaunch() const { return !local && !rows && arguments.empty(); }
  /// Sets the known value of an argument, replacing an earlier one.
  void set(const Argument& argument);
  CodeVersion withWidth(std::uint32_t width) const;
  bool knowsIntegers() const;
  CodeVersion withoutIntegers() const;

  /// Text such as `local=256x1x1 rows=whole arg2=rgba.unorm8 arg3=sampler:15 arg5=17 width=16`, or `general`. A local
  /// size whose launches may have an offset ends in `+offset`, a format of images beyond 2 GiB in `.large`; numbers of
  /// samplers are hexadecimal.
  std::string text() const;
  /// Parses the text, with the parts in any order.
  static std::optional<CodeVersion> parse(std::string_view text);
};

} // namespace clotho

template <> struct std::hash<clotho::CodeVersion> {
  std::size_t operator()(const clotho::CodeVersion& version) const noexcept;
};
