// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command/printf_format.hpp"

#include "command/node.hpp"

#include "device/cpu/printf_arena.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace clotho::cpu {
namespace {

/// The arguments of one call, laid out as a record has them.
class Call {
 public:
  explicit Call(std::string format) { format_.format = std::move(format); }
  template <class T> Call& with(const T& value) {
    std::size_t at = bytes_.size();
    bytes_.resize(at + (sizeof value + 7) / 8 * 8);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    format_.argSizes.push_back(sizeof value);
    return *this;
  }
  std::string text(StringMemory strings = {}) const {
    std::string out;
    formatPrintf(format_, bytes_, strings, out);
    return out;
  }
  const PrintfFormat& format() const { return format_; }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  PrintfFormat format_;
  std::vector<std::byte> bytes_;
};

template <class T, std::size_t N> struct Vector {
  T lanes[N];
};

TEST(PrintfFormat, Integers) {
  EXPECT_EQ(Call("%d|%5d|%-5d|%05d|%+d|% d").with(1).with(2).with(3).with(4).with(5).with(6).text(),
            "1|    2|3    |00004|+5| 6");
  EXPECT_EQ(Call("%i %u").with(-1).with(-1).text(), "-1 4294967295");
  EXPECT_EQ(Call("%x %X %#x %o %#o").with(255).with(255).with(255).with(8).with(8).text(), "ff FF 0xff 10 010");
  EXPECT_EQ(Call("%.4d|%8.4d").with(7).with(7).text(), "0007|    0007");
  EXPECT_EQ(Call("%ld %lu %lx").with(INT64_MIN).with(UINT64_MAX).with(UINT64_MAX).text(),
            "-9223372036854775808 18446744073709551615 ffffffffffffffff");
  EXPECT_EQ(Call("%hd %hu").with(0x18001).with(0x18001).text(), "-32767 32769");
  EXPECT_EQ(Call("%hhd %hhu %hhx").with(0x1ff).with(0x1ff).with(-1).text(), "-1 255 ff");
  EXPECT_EQ(Call("%d").with(INT64_MIN).text(), "-9223372036854775808"); // the argument's own size counts
}

// OpenCL C 3.1: size_t and ptrdiff_t, which have 64 bits here whatever else was meant.
TEST(PrintfFormat, SizesAndDifferences) {
  EXPECT_EQ(Call("%zu %zx %zX %#zo").with(UINT64_MAX).with(UINT64_MAX).with(std::uint64_t{0xabcdef}).with(8ul).text(),
            "18446744073709551615 ffffffffffffffff ABCDEF 010");
  EXPECT_EQ(Call("%zd %zi").with(INT64_MIN).with(-10000000000).text(), "-9223372036854775808 -10000000000");
  EXPECT_EQ(Call("%td %ti %tu %tx").with(INT64_MIN).with(-1l).with(1l).with(255l).text(),
            "-9223372036854775808 -1 1 ff");
  EXPECT_EQ(Call("%to %tX %+td % td").with(8l).with(255l).with(7l).with(7l).text(), "10 FF +7  7");
  EXPECT_EQ(Call("%5zd|%-15td|%015zd|%.3tu|%+16.15zd")
                .with(-1l)
                .with(10000000000)
                .with(-10000000000)
                .with(7l)
                .with(1l)
                .text(),
            "   -1|10000000000    |-00010000000000|007|+000000000000001");
  EXPECT_EQ(Call("%zu %d").with(7l).with(8).text(), "7 8");
  EXPECT_EQ(Call("%v2zd %v3tx")
                .with(Vector<std::int64_t, 2>{{-1, 1l << 40}})
                .with(Vector<std::int64_t, 4>{{1, 255, 3, 0}})
                .text(),
            "-1,1099511627776 1,ff,3");
  // The length modifiers z and t are for integers only; what is undefined is shown as it is, and takes no argument.
  EXPECT_EQ(Call("%zf %tc %zs %zp %tg %zzu %d").with(7).text(), "%zf %tc %zs %zp %tg %zzu 7");
}

TEST(PrintfFormat, Floats) {
  EXPECT_EQ(Call("%f %.2f %8.3f|%-8.1f|").with(1.5).with(2.345).with(-1.0).with(2.5).text(),
            "1.500000 2.35   -1.000|2.5     |");
  EXPECT_EQ(Call("%e %E %g %G").with(12345.678).with(0.00012).with(1e20).with(1e-10).text(),
            "1.234568e+04 1.200000E-04 1e+20 1E-10");
  EXPECT_EQ(Call("%a %A").with(1.0).with(-0.5).text(), "0x1p+0 -0X1P-1");
  EXPECT_EQ(Call("%f %F %e %g").with(HUGE_VAL).with(-HUGE_VAL).with(HUGE_VAL).with(-HUGE_VAL).text(),
            "inf -INF inf -inf");
  EXPECT_EQ(Call("%f %F").with(std::nan("")).with(std::nan("")).text(), "nan NAN");
  EXPECT_EQ(Call("%+f %#.0f % e").with(1.0).with(3.0).with(1.0).text(), "+1.000000 3.  1.000000e+00");
  EXPECT_EQ(Call("%f").with(1.25f).text(), "1.250000"); // stored without promotion
}

TEST(PrintfFormat, Half) {
  auto half = [](std::uint16_t bits) { return Call("%g").with(bits).text(); };
  EXPECT_EQ(half(0x3c00), "1");
  EXPECT_EQ(half(0xc000), "-2");
  EXPECT_EQ(half(0x7bff), "65504");
  EXPECT_EQ(half(0x0001), "5.96046e-08");
  EXPECT_EQ(half(0x8000), "-0");
  EXPECT_EQ(half(0x7c00), "inf");
  EXPECT_EQ(half(0xfc00), "-inf");
  EXPECT_EQ(half(0x7e00), "nan");
  EXPECT_EQ(Call("%v4hg").with(Vector<std::uint16_t, 4>{{0x3c00, 0x4000, 0, 0xbc00}}).text(), "1,2,0,-1");
}

TEST(PrintfFormat, Vectors) {
  EXPECT_EQ(Call("%v4hld").with(Vector<std::int32_t, 4>{{1, -2, 3, -4}}).text(), "1,-2,3,-4");
  EXPECT_EQ(Call("%v2ld").with(Vector<std::int64_t, 2>{{-1, 1}}).text(), "-1,1");
  EXPECT_EQ(Call("%v8hd").with(Vector<std::int16_t, 8>{{1, 2, 3, 4, 5, 6, 7, -8}}).text(), "1,2,3,4,5,6,7,-8");
  EXPECT_EQ(
      Call("%v16hhu").with(Vector<std::uint8_t, 16>{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255}}).text(),
      "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,255");
  EXPECT_EQ(Call("%v4hhx").with(Vector<std::int8_t, 4>{{-1, 0x10, 0, 1}}).text(), "ff,10,0,1");
  EXPECT_EQ(Call("%.2v4hlf").with(Vector<float, 4>{{1, 2.5f, -3, 4}}).text(), "1.00,2.50,-3.00,4.00");
  EXPECT_EQ(Call("%v2lf|%v2lg").with(Vector<double, 2>{{1, 2}}).with(Vector<double, 2>{{0.5, 1e30}}).text(),
            "1.000000,2.000000|0.5,1e+30");
  EXPECT_EQ(Call("%5v2hld|%-4v2hld|").with(Vector<int, 2>{{1, 2}}).with(Vector<int, 2>{{3, 4}}).text(),
            "    1,    2|3   ,4   |");
  EXPECT_EQ(Call("%v3hld %d").with(Vector<int, 4>{{1, 2, 3, 99}}).with(7).text(), "1,2,3 7");
  EXPECT_EQ(Call("%v3hhd").with(Vector<std::int8_t, 4>{{1, -2, 3, 99}}).text(), "1,-2,3");
  EXPECT_EQ(Call("%#v2hlx").with(Vector<int, 2>{{1, 2}}).text(), "0x1,0x2");
}

TEST(PrintfFormat, CharactersStringsPointers) {
  static const char kText[] = "literal";
  auto begin = reinterpret_cast<std::uintptr_t>(kText);
  StringMemory strings{begin, begin + sizeof kText};
  EXPECT_EQ(Call("%c%c|%3c|").with(int{'o'}).with(int{'k'}).with(int{'x'}).text(), "ok|  x|");
  EXPECT_EQ(Call("%s|%10s|%-10s|%.3s").with(begin).with(begin).with(begin).with(begin).text(strings),
            "literal|   literal|literal   |lit");
  EXPECT_EQ(Call("%s").with(std::uintptr_t{0}).text(strings), "(null)");
  EXPECT_EQ(Call("%s").with(std::uintptr_t{0x10}).text(strings), "(not a literal)");
  // A text without end is read no further than the memory reaches.
  EXPECT_EQ(Call("%s").with(begin).text({begin, begin + 3}), "lit");
  EXPECT_EQ(Call("%p").with(std::uint64_t{0x1234}).text(), "0x1234");
}

TEST(PrintfFormat, PlainTextAndMistakes) {
  EXPECT_EQ(Call("100%% of %d%%\n").with(5).text(), "100% of 5%\n");
  EXPECT_EQ(Call("").text(), "");
  EXPECT_EQ(Call("trailing %").text(), "trailing %");
  EXPECT_EQ(Call("%y %d").with(1).text(), "%y 1");
  EXPECT_EQ(Call("%v5d").text(), "%v5d");
  EXPECT_EQ(Call("%n").text(), "%n");
  EXPECT_EQ(Call("%d %d").with(1).text(), "1 "); // an argument is missing
  EXPECT_EQ(Call("%99999999999d").with(1).text().size(), 65535u);
}

TEST(PrintfFormat, DecimalPointInEveryLocale) {
  // An own locale object is not needed: the thread's locale is what printing must not depend on.
  const char* before = std::setlocale(LC_NUMERIC, nullptr);
  std::string saved = before;
  bool comma = false;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"})
    if (std::setlocale(LC_NUMERIC, name)) {
      comma = true;
      break;
    }
  if (comma) {
    char text[16];
    std::snprintf(text, sizeof text, "%.1f", 0.5);
    EXPECT_STREQ(text, "0,5");
  }
  {
    ClassicLocale classic;
    EXPECT_EQ(Call("%.1f").with(0.5).text(), "0.5");
  }
  std::setlocale(LC_NUMERIC, saved.c_str());
}

std::vector<std::byte> recordOf(const Call& call, std::uint32_t index) {
  std::vector<std::byte> record(8 + call.bytes().size());
  std::uint32_t header[2] = {static_cast<std::uint32_t>(record.size()), index};
  std::memcpy(record.data(), header, sizeof header);
  std::memcpy(record.data() + 8, call.bytes().data(), call.bytes().size());
  return record;
}

TEST(PrintfRecords, InOrderUpToTheFirstIncompleteOne) {
  Call first("a %d\n"), second("b %g\n");
  first.with(1);
  second.with(2.5);
  std::vector<PrintfFormat> formats = {first.format(), second.format()};
  std::vector<std::byte> records;
  auto append = [&](const std::vector<std::byte>& record) {
    records.insert(records.end(), record.begin(), record.end());
  };
  append(recordOf(second, 1));
  append(recordOf(first, 0));
  std::string out;
  formatRecords(records, formats, StringMemory(), out);
  EXPECT_EQ(out, "b 2.5\na 1\n");

  records.resize(records.size() + 16); // reserved, never written
  append(recordOf(first, 0));
  out.clear();
  formatRecords(records, formats, StringMemory(), out);
  EXPECT_EQ(out, "b 2.5\na 1\n");
}

TEST(PrintfRecords, DamageIsHarmless) {
  Call call("a %d\n");
  call.with(1);
  std::vector<PrintfFormat> formats = {call.format()};
  std::vector<std::byte> good = recordOf(call, 0);
  for (std::uint32_t size : {1u, 4u, 12u, 24u, 0xfffffff8u}) {
    auto bad = good;
    std::memcpy(bad.data(), &size, 4);
    std::string out;
    formatRecords(bad, formats, StringMemory(), out);
    EXPECT_EQ(out, "") << size;
  }
  auto bad = recordOf(call, 1);
  std::string out;
  formatRecords(bad, formats, StringMemory(), out);
  EXPECT_EQ(out, "");
}

/// A command without a context, which prints as all do.
class PrintingNode final : public Node {
 public:
  PrintingNode() : Node(nullptr, work_, state_, /*isTimed=*/false) {}
  void report(std::string, LogLevel) noexcept override {}

 private:
  Command work_ = Nothing{};
  DeviceState state_;
};

TEST(PrintfArena, PrintsThroughStdioAndIsCleanAgain) {
  PrintfArenas arenas;
  PrintfArena* arena = arenas.acquire();
  ASSERT_NE(arena, nullptr);
  EXPECT_EQ(arena->buffer->capacity, kPrintfBufferSize);
  Call call("text %d\n");
  call.with(42);
  std::vector<PrintfFormat> formats = {call.format()};
  auto record = recordOf(call, 0);
  std::memcpy(arena->buffer->data, record.data(), record.size());
  arena->buffer->used = record.size();
  const Ref<PrintingNode> node = Ref<PrintingNode>::adopt(new PrintingNode);
  testing::internal::CaptureStdout();
  arenas.printAndRelease(*arena, formats, {}, *node);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "text 42\n");
  EXPECT_EQ(arenas.acquire(), arena);
  EXPECT_EQ(arena->buffer->used, 0u);
  EXPECT_EQ(arena->buffer->data[0], std::byte{0});
  arenas.printAndRelease(*arena, formats, {}, *node);
}

} // namespace
} // namespace clotho::cpu
