// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The table of claims.
namespace clotho::claims {

/// Kinds of devices, as bits, for which a row of the table may hold.
using Kinds = std::uint8_t;
inline constexpr Kinds kCpu = 1, kNvidia = 2;
/// CPU devices of tests, without all that OpenCL 3.0 leaves to devices (CLOTHO_CPU_DEVICES=bare).
inline constexpr Kinds kBare = 4;
/// Devices of other processes and machines (device/cluster), which also lack what their own kind does not claim.
inline constexpr Kinds kCluster = 8;
inline constexpr Kinds kAll = kCpu | kNvidia | kBare | kCluster;

#define CLAIM_TEXT(field, string) inline constexpr std::string_view field = string;
#include "base/claims.def"

/// An extension or an optional feature of OpenCL C.
struct Row {
  std::string_view name;
  cl_version version;
  enum class Sort : std::uint8_t { Extension, Feature, ExtensionFeature } sort;
  bool isOfLanguage; ///< OpenCL C defines a macro for it
  Kinds kinds;
};
inline constexpr auto kRows = std::to_array<Row>({
#define CLAIM_EXTENSION(name, major, minor, patch, language, kinds)                                                    \
  {#name, CL_MAKE_VERSION(major, minor, patch), Row::Sort::Extension, language, kinds},
#define CLAIM_FEATURE(name, kinds) {#name, CL_MAKE_VERSION(3, 0, 0), Row::Sort::Feature, true, kinds},
#define CLAIM_EXTENSION_FEATURE(name, kinds)                                                                           \
  {#name, CL_MAKE_VERSION(3, 0, 0), Row::Sort::ExtensionFeature, true, kinds},
#include "base/claims.def"
});

/// The index of a row, for Claims::has().
consteval std::size_t rowOf(std::string_view name) {
  std::size_t row = 0;
  while (kRows[row].name != name) // no constant expression past the end
    ++row;
  return row;
}

inline constexpr std::array kOpenClCVersions = {
#define CLAIM_OPENCL_C(major, minor)                                                                                   \
  cl_name_version{CL_MAKE_VERSION(major, minor, 0), {'O', 'p', 'e', 'n', 'C', 'L', ' ', 'C'}},
#include "base/claims.def"
};

} // namespace clotho::claims

namespace clotho {

/// Claims of a device, extensions and optional features: a bit for each row of the table. A platform claims what
/// all of its devices do.
class Claims {
 public:
  static constexpr std::size_t kWords = (claims::kRows.size() + 63) / 64;

  constexpr Claims() = default;
  /// All that holds for devices of a kind.
  static constexpr Claims of(claims::Kinds kind) {
    Claims result;
    for (std::size_t i = 0; i < claims::kRows.size(); ++i)
      if (claims::kRows[i].kinds & kind) result.words[i / 64] |= std::uint64_t{1} << i % 64;
    return result;
  }
  constexpr bool has(std::size_t row) const { return words[row / 64] >> row % 64 & 1; }
  constexpr void remove(std::size_t row) { words[row / 64] &= ~(std::uint64_t{1} << row % 64); }
  constexpr Claims& operator&=(const Claims& other) {
    for (std::size_t i = 0; i < kWords; ++i)
      words[i] &= other.words[i];
    return *this;
  }
  friend constexpr bool operator==(const Claims&, const Claims&) = default;

  /// Calls `use(row)` for each row that is claimed.
  template <class Use> constexpr void forEach(Use&& use) const {
    for (std::size_t i = 0; i < claims::kRows.size(); ++i)
      if (has(i)) use(claims::kRows[i]);
  }

  /// Without what extends OpenCL C: what a platform says of itself.
  Claims ofHost() const;

  /// CL_DEVICE_EXTENSIONS, CL_PLATFORM_EXTENSIONS: names with spaces between.
  std::string extensions() const;
  /// CL_DEVICE_EXTENSIONS_WITH_VERSION, CL_PLATFORM_EXTENSIONS_WITH_VERSION.
  std::vector<cl_name_version> extensionVersions() const;
  /// CL_DEVICE_OPENCL_C_FEATURES.
  std::vector<cl_name_version> features() const;

  std::uint64_t words[kWords] = {};
};

} // namespace clotho
