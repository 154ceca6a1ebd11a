// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command/printf_format.hpp"

#include <algorithm>
#include <bit>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <locale.h>
#include <string_view>

namespace clotho {

namespace {

/// One conversion specification: %[flags][width][.precision][vector][length]conversion.
struct Directive {
  std::string prefix; ///< "%", flags, width and precision, as snprintf takes them
  int precision = -1;
  unsigned lanes = 1;
  unsigned lengthBytes = 0; ///< of an element as the length modifier says; 0: none given
  char conversion = 0;
  std::size_t end = 0; ///< in the format, behind the directive
};

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Widths and precisions beyond this would be a mistake that costs memory.
constexpr int kMaxNumber = 65535;

/// Reads the directive that begins at `at` (a '%'); conversion 0 when it is none.
class DirectiveParser {
 public:
  DirectiveParser(std::string_view format, std::size_t at) : format_(format), at_(at + 1) {}

  Directive parse() {
    Directive result;
    result.prefix = "%";
    while (at_ < format_.size() && std::strchr("-+ #0", format_[at_]))
      result.prefix += format_[at_++];
    if (isDigit(peek())) result.prefix += std::to_string(number());
    if (take(".")) {
      result.precision = isDigit(peek()) ? number() : 0;
      result.prefix += '.' + std::to_string(result.precision);
    }
    if (take("v")) {
      result.lanes = isDigit(peek()) ? static_cast<unsigned>(number()) : 0;
      if (result.lanes != 2 && result.lanes != 3 && result.lanes != 4 && result.lanes != 8 && result.lanes != 16)
        return {};
    }
    const char* conversions = "diouxXfFeEgGaAcsp%";
    if (take("hh"))
      result.lengthBytes = 1;
    else if (take("hl"))
      result.lengthBytes = 4;
    else if (take("h"))
      result.lengthBytes = 2;
    else if (take("ll") || take("l")) // "ll" is C's alone, but formats of HIP programs have it
      result.lengthBytes = 8;
    else if (take("z") || take("t")) { // of OpenCL C 3.1: size_t and ptrdiff_t, of which there are integers only
      result.lengthBytes = 8;
      conversions = "diouxX";
    }
    char conversion = peek();
    if (conversion == 0 || !std::strchr(conversions, conversion)) return {};
    result.conversion = conversion;
    result.end = at_ + 1;
    return result;
  }

 private:
  char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }
  bool take(std::string_view text) {
    if (format_.substr(at_, text.size()) != text) return false;
    at_ += text.size();
    return true;
  }
  int number() {
    int value = 0;
    for (; isDigit(peek()); ++at_)
      value = std::min(value * 10 + (format_[at_] - '0'), kMaxNumber);
    return value;
  }

  std::string_view format_;
  std::size_t at_;
};

template <class T> T load(std::span<const std::byte> bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

/// An integer of the bytes' size.
std::uint64_t loadUnsigned(std::span<const std::byte> bytes) { return load<std::uint64_t>(bytes); }

std::int64_t loadSigned(std::span<const std::byte> bytes) {
  switch (bytes.size()) {
  case 1: return load<std::int8_t>(bytes);
  case 2: return load<std::int16_t>(bytes);
  case 4: return load<std::int32_t>(bytes);
  default: return load<std::int64_t>(bytes);
  }
}

double doubleOfHalf(std::uint16_t half) {
  int exponent = half >> 10 & 31;
  double fraction = half & 0x3ff;
  double magnitude = exponent == 31 ? (half & 0x3ff ? std::nan("") : HUGE_VAL)
                     : exponent     ? std::ldexp(fraction + 1024, exponent - 25)
                                    : std::ldexp(fraction, -24);
  return half & 0x8000 ? -magnitude : magnitude;
}

double loadFloating(std::span<const std::byte> bytes) {
  switch (bytes.size()) {
  case 2: return doubleOfHalf(load<std::uint16_t>(bytes));
  case 4: return load<float>(bytes);
  default: return load<double>(bytes);
  }
}

template <class... Values> void print(std::string& out, const std::string& directive, Values... values) {
  char text[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  int size = std::snprintf(text, sizeof text, directive.c_str(), values...);
  if (size < 0) return;
  if (static_cast<std::size_t>(size) < sizeof text) {
    out.append(text, static_cast<std::size_t>(size));
    return;
  }
  std::size_t before = out.size();
  out.resize(before + static_cast<std::size_t>(size) + 1);
  std::snprintf(out.data() + before, static_cast<std::size_t>(size) + 1, directive.c_str(), values...);
#pragma GCC diagnostic pop
  out.pop_back();
}

void printString(std::string& out, const Directive& directive, std::uintptr_t address, const StringSource& strings) {
  std::string text = "(null)";
  if (address != 0) {
    const std::size_t most = directive.precision >= 0 ? static_cast<std::size_t>(directive.precision) : SIZE_MAX;
    text = strings.read(address, most).value_or("(not a literal)");
  }
  print(out, directive.prefix + 's', text.c_str());
}

void printElement(std::string& out, const Directive& directive, std::span<const std::byte> bytes) {
  switch (directive.conversion) {
  case 'd':
  case 'i': print(out, directive.prefix + "lld", static_cast<long long>(loadSigned(bytes))); break;
  case 'o':
  case 'u':
  case 'x':
  case 'X':
    print(out, directive.prefix + "ll" + directive.conversion, static_cast<unsigned long long>(loadUnsigned(bytes)));
    break;
  case 'c': print(out, directive.prefix + 'c', static_cast<int>(loadUnsigned(bytes) & 0xff)); break;
  case 'p':
    print(out, directive.prefix + 'p', std::bit_cast<void*>(static_cast<std::uintptr_t>(loadUnsigned(bytes))));
    break;
  default: print(out, directive.prefix + directive.conversion, loadFloating(bytes)); break;
  }
}

/// A scalar or vector argument.
void printArgument(std::string& out, const Directive& directive, std::span<const std::byte> bytes,
                   const StringSource& strings) {
  if (directive.conversion == 's') return printString(out, directive, loadUnsigned(bytes), strings);
  if (directive.lanes == 1) {
    // hh and h narrow an argument that was promoted to int; the others say what it is already.
    std::size_t size = bytes.size();
    bool isInteger = std::strchr("diouxX", directive.conversion) != nullptr;
    if (isInteger && directive.lengthBytes) size = std::min<std::size_t>(size, directive.lengthBytes);
    return printElement(out, directive, bytes.first(size));
  }
  // Stored as it lies in memory, where a vector of three takes the place of four.
  std::size_t size = bytes.size() / (directive.lanes == 3 ? 4 : directive.lanes);
  for (unsigned i = 0; i < directive.lanes; ++i) {
    if (i) out += ',';
    printElement(out, directive, bytes.subspan(i * size, size));
  }
}

} // namespace

std::optional<std::string> StringMemory::read(std::uintptr_t address, std::size_t most) const {
  if (address < begin || address >= end) return std::nullopt;
  const auto* first = std::bit_cast<const char*>(address);
  return std::string(first, strnlen(first, std::min(most, end - address)));
}

void formatPrintf(const PrintfFormat& format, std::span<const std::byte> arguments, const StringSource& strings,
                  std::string& out) {
  std::string_view text = format.format;
  std::size_t argument = 0, offset = 0;
  while (!text.empty()) {
    std::size_t percent = text.find('%');
    out += text.substr(0, percent);
    if (percent == std::string_view::npos) return;
    Directive directive = DirectiveParser(text, percent).parse();
    if (directive.conversion == 0) {
      // Undefined by the specification: shown as it is.
      out += '%';
      text.remove_prefix(percent + 1);
      continue;
    }
    text.remove_prefix(directive.end);
    if (directive.conversion == '%') {
      out += '%';
      continue;
    }
    if (argument >= format.argSizes.size()) continue;
    std::size_t size = format.argSizes[argument++];
    if (size > arguments.size() || offset > arguments.size() - size) return;
    printArgument(out, directive, arguments.subspan(offset, size), strings);
    offset += (size + 7) / 8 * 8;
  }
}

void formatRecords(std::span<const std::byte> records, std::span<const PrintfFormat> formats,
                   const StringSource& strings, std::string& out) {
  constexpr std::size_t kHeader = 8;
  while (records.size() >= kHeader) {
    auto size = load<std::uint32_t>(records.first(4)), index = load<std::uint32_t>(records.subspan(4, 4));
    // A record that was reserved and never written is zero.
    if (size < kHeader || size % 8 != 0 || size > records.size() || index >= formats.size()) return;
    formatPrintf(formats[index], records.subspan(kHeader, size - kHeader), strings, out);
    records = records.subspan(size);
  }
}

// glibc gives the classic locale without allocating anything, so nothing has to be kept or freed.
ClassicLocale::ClassicLocale() noexcept : classic_(newlocale(LC_ALL_MASK, "C", nullptr)) {
  previous_ = classic_ ? uselocale(static_cast<locale_t>(classic_)) : nullptr;
}

ClassicLocale::~ClassicLocale() {
  if (!classic_) return;
  uselocale(static_cast<locale_t>(previous_));
  freelocale(static_cast<locale_t>(classic_));
}

} // namespace clotho
