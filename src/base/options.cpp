// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/options.hpp"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace clotho {

namespace {

void parse(bool& field, std::string_view text) {
  if (text == "0" || text == "1") field = text == "1";
}
void parse(std::string& field, std::string_view text) { field = text; }
void parse(std::uint64_t& field, std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const char* begin = std::to_address(text.begin());
  const char* end = begin + text.size();
  auto [stop, error] = std::from_chars(begin, end, value, base);
  if (error == std::errc() && stop == end) field = value;
}

} // namespace

Options Options::fromEnvironment() {
  Options result;
#define OPTION(field, type, standard, variable, help)                                                                  \
  if (const char* text = secure_getenv(variable)) parse(result.field, text);
#include "base/options.def"
#undef OPTION
  if (const char* folder = secure_getenv("TMPDIR")) result.temporaryFolder = folder;
  return result;
}

const Options& options() {
  static std::atomic<const Options*> instance{nullptr};
  const Options* current = instance.load(std::memory_order_acquire);
  if (current) return *current;
  auto* fresh = new Options(Options::fromEnvironment());
  if (instance.compare_exchange_strong(current, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;
  return *current;
}

} // namespace clotho
