// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/checks.hpp"
#include "device/known_memory.hpp"

#include <cstdio>
#include <cstring>

namespace clotho::cpu {

namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string bytes(std::uint64_t count) { return count == 1 ? "1 byte" : number(count) + " bytes"; }

const char* nameIn(const CheckSite& site) {
  const auto* text = reinterpret_cast<const char*>(site.texts);
  for (int before = 0; before < 2; ++before)
    text += std::strlen(text) + 1;
  return text;
}

/// "argument 1 'in'" or "'tile'"
std::string objectOf(const CheckSite& site) {
  const std::string name = nameIn(site);
  std::string text;
  if (site.argument != kNoCheckedArgument) text = "argument " + number(site.argument);
  if (!name.empty()) text += (text.empty() ? "'" : " '") + name + "'";
  return text.empty() ? "memory" : text;
}

/// The first byte of an access that leaves its memory, seen from there.
std::string placeOf(const CheckSite& site, std::uint64_t offset, std::uint64_t size) {
  if (size == 0) return "null pointer: " + objectOf(site);
  const std::string object = objectOf(site) + " (" + bytes(size) + ")";
  const auto before = static_cast<std::int64_t>(offset);
  if (before < 0) return bytes(0 - offset) + " before " + object;
  if (offset < size) return "from byte " + number(offset) + " on, over the end of " + object;
  return (offset == size ? "just" : bytes(offset - size)) + " behind " + object;
}

std::string placeOfAddress(std::uint64_t address) {
  constexpr std::uint64_t kNull = 1 << 16;
  if (address < kNull) return address == 0 ? "null pointer" : "null pointer with offset " + number(address);
  const KnownMemory::Found found = KnownMemory::get().find(address);
  if (found.state == KnownMemory::State::Unknown)
    return "address " + hex(address) + ", which is no memory of the kernel";
  const std::string block = "shared memory (" + bytes(found.size) + ")";
  if (found.state == KnownMemory::State::Freed) return "byte " + number(address - found.begin) + " of freed " + block;
  if (address < found.begin) return bytes(found.begin - address) + " before " + block;
  const std::uint64_t offset = address - found.begin;
  return offset < found.size ? "from byte " + number(offset) + " on, over the end of " + block
                             : (offset == found.size ? "just" : bytes(offset - found.size)) + " behind " + block;
}

std::string coordinates(std::uint64_t packed) {
  constexpr unsigned kBits = 21;
  std::string text;
  for (unsigned i = 0; i < 3; ++i) {
    const auto value = static_cast<std::int64_t>(packed << (64 - kBits * (i + 1))) >> (64 - kBits);
    text += (i == 0 ? "(" : ", ") + std::to_string(value);
  }
  return text + ")";
}

} // namespace

std::string describe(const CheckFault& fault) {
  const CheckSite& site = *fault.site;
  const std::string size = bytes(site.bytes);
  switch (site.kind) {
  case kFaultRead:
    return "read of " + (site.bytes ? size : std::string("a range")) + ", " + placeOf(site, fault.a, fault.b);
  case kFaultWrite:
    return "write of " + (site.bytes ? size : std::string("a range")) + ", " + placeOf(site, fault.a, fault.b);
  case kFaultReadPointer: return "read of " + size + ", " + placeOfAddress(fault.a);
  case kFaultWritePointer: return "write of " + size + ", " + placeOfAddress(fault.a);
  case kFaultMisaligned:
    return "misaligned address " + hex(fault.a) + " of " + objectOf(site) + ", which must be a multiple of " +
           number(fault.b);
  case kFaultUninitialised:
    return "read of " + size + " of " + objectOf(site) + " at byte " + number(fault.a) + ", which were never written";
  case kFaultReadRace: return "race: read of " + size + " of " + objectOf(site) + " at byte " + number(fault.b);
  case kFaultWriteRace: return "race: write of " + size + " of " + objectOf(site) + " at byte " + number(fault.b);
  case kFaultBarrier: return "barrier or group function that not all work-items of the group meet";
  case kFaultDivision:
    if (fault.b == 0) return "division of " + std::to_string(static_cast<std::int64_t>(fault.a)) + " by zero";
    return "division of " + std::to_string(static_cast<std::int64_t>(fault.a)) + " by -1, which has no result";
  case kFaultShift:
    return "shift of a number of " + number(fault.b) + " bits by " + std::to_string(static_cast<std::int64_t>(fault.a));
  case kFaultConversion: {
    double value = 0;
    std::memcpy(&value, &fault.a, sizeof value);
    char text[64];
    std::snprintf(text, sizeof text, "%.9g", value);
    return std::string("conversion of ") + text + " to an integer of " + number(fault.b) +
           " bits, which cannot hold it";
  }
  case kFaultImageRead:
    return "read of texel " + coordinates(fault.a) + " of image " + objectOf(site) + ", which has " +
           coordinates(fault.b);
  case kFaultImageWrite:
    return "write of texel " + coordinates(fault.a) + " of image " + objectOf(site) + ", which has " +
           coordinates(fault.b);
  case kFaultBlockCoordinate:
    return "misaligned block at byte " + std::to_string(static_cast<std::int64_t>(fault.a)) + " of a row of image " +
           objectOf(site) + ", which must be a multiple of " + number(fault.b);
  case kFaultLoop: return "loop has not ended after " + number(fault.a) + " iterations: the launch is ended";
  default: return "fault of an unknown kind";
  }
}

} // namespace clotho::cpu
