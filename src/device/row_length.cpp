// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/device.hpp"

#include <cstring>

namespace clotho {

namespace {

/// The argument's value, if it is an integer; 0: it is none, or is negative, or has no place in 64 bits.
std::uint64_t integerAt(const ArgInfo& argument, const std::byte* args) {
  std::int32_t narrow = 0;
  std::int64_t wide = 0;
  const std::byte* from = args + argument.offset;
  if (argument.kind != ArgKind::Value) return 0;
  if (argument.size == sizeof wide) {
    std::memcpy(&wide, from, sizeof wide);
  } else if (argument.size == sizeof narrow) {
    std::memcpy(&narrow, from, sizeof narrow);
    wide = narrow;
  }
  return wide > 0 ? static_cast<std::uint64_t>(wide) : 0;
}

} // namespace

std::uint64_t DeviceKernel::rowLength(const std::array<std::uint64_t, 3>& global,
                                      const std::array<std::uint64_t, 3>& offset,
                                      const std::byte* args) const noexcept {
  const RowLength& rows = limits().rows;
  if (global[1] != 1 || global[2] != 1 || global[0] > RowLength::kMost || offset != std::array<std::uint64_t, 3>{})
    return 0;
  std::uint64_t length = rows.constant;
  if (rows.isArgument()) length = rows.argument < info().args.size() ? integerAt(info().args[rows.argument], args) : 0;
  // The items that the last row lacks are not to cost much.
  constexpr std::uint64_t kFewRows = 8;
  if (length < RowLength::kLeast || length >= global[0]) return 0;
  const std::uint64_t whole = global[0] / length; // rows
  const bool areWhole = global[0] % length == 0;
  return areWhole || (whole >= kFewRows && (whole + 1) * length <= RowLength::kMost) ? length : 0;
}

} // namespace clotho
