// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every explicit conversion, from each scalar type to each, with every rounding and with saturation, against exact.hpp.
// Scalars always; of vectors one length for each pair of types, another one for each `--turn` (0 to 4).
// `clotho-conversions [--turn N] [--from TYPE] [--options BUILD_OPTIONS] [--print 1]`; the last prints the kernels
// only.
#include "exact.hpp"
#include "values.hpp"

#include "../kernels/runner/opencl.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace clotho::conversions {
namespace {

constexpr std::array<std::size_t, 5> kLengths{2, 3, 4, 8, 16};
/// Every length divides the number of values.
constexpr std::size_t kStep = 48;
/// Wrong results that are printed for each function; the others are only counted.
constexpr int kShown = 4;

/// One function.
struct Conversion {
  const Type& from;
  const Type& to;
  Mode mode;
  bool saturates;

  std::string name(std::size_t length) const {
    return std::string("convert_") + to.name + (length == 1 ? "" : std::to_string(length)) + (saturates ? "_sat" : "") +
           kSuffixes[static_cast<std::size_t>(mode)];
  }
};

std::vector<Conversion> conversions(const Type& from, const Type& to) {
  std::vector<Conversion> all;
  for (const bool saturates : {false, true})
    for (std::size_t mode = 0; mode < kSuffixes.size() && !(saturates && to.isReal); ++mode)
      all.push_back({from, to, static_cast<Mode>(mode), saturates});
  return all;
}

std::string kernelName(const Type& to, std::size_t length) {
  return std::string("to_") + to.name + std::to_string(length);
}

/// A kernel that does all conversions of a pair; the results of each function lie together.
std::string kernel(const Type& from, const Type& to, std::size_t length) {
  const std::string n = length == 1 ? "" : std::to_string(length);
  std::string text = "kernel void " + kernelName(to, length) + "(global const " + from.name + "* in, global " +
                     to.name + "* out) {\n  const size_t i = get_global_id(0), n = " + std::to_string(length) +
                     " * get_global_size(0);\n  const " + from.name + n +
                     " x = " + (n.empty() ? "in[i]" : "vload" + n + "(i, in)") + ";\n";
  std::size_t number = 0;
  for (const Conversion& conversion : conversions(from, to)) {
    const std::string to = "out + " + std::to_string(number++) + " * n", value = conversion.name(length) + "(x)";
    text += n.empty() ? "  *(" + to + " + i) = " + value + ";\n" : "  vstore" + n + "(" + value + ", i, " + to + ");\n";
  }
  return text + "}\n";
}

/// Which lengths of vectors are tested for a pair, besides scalars.
std::size_t lengthOf(std::size_t from, std::size_t to, std::size_t turn) {
  return kLengths[(2 * from + to + turn) % kLengths.size()];
}

std::string source(std::size_t from, std::size_t turn) {
  std::string text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  for (std::size_t to = 0; to < kTypes.size(); ++to)
    text += kernel(kTypes[from], kTypes[to], 1) + kernel(kTypes[from], kTypes[to], lengthOf(from, to, turn));
  return text;
}

Bytes bytesOf(const Type& type, const std::vector<std::uint64_t>& values) {
  Bytes bytes(values.size() * type.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(&bytes[i * type.size()], &values[i], type.size());
  return bytes;
}

std::uint64_t valueAt(const Type& type, const Bytes& bytes, std::size_t index) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &bytes[index * type.size()], type.size());
  return bits;
}

/// Compares what one function gave, from `first` on in `out`. Returns the number of wrong results.
std::size_t compare(const Conversion& conversion, std::size_t length, const std::vector<std::uint64_t>& values,
                    const Bytes& out, std::size_t first) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::optional<std::uint64_t> expected =
        encode(conversion.to, decode(conversion.from, values[i]), conversion.mode, conversion.saturates,
               !conversion.from.isReal);
    const std::uint64_t actual = valueAt(conversion.to, out, first + i);
    if (!expected || actual == *expected || (conversion.to.isNan(*expected) && conversion.to.isNan(actual))) continue;
    if (++wrong <= kShown)
      std::printf("%s of %s 0x%" PRIx64 ": 0x%" PRIx64 ", expected 0x%" PRIx64 "\n", conversion.name(length).c_str(),
                  conversion.from.name, values[i], actual, *expected);
  }
  if (wrong > kShown) std::printf("... and %zu others\n", wrong - kShown);
  return wrong;
}

struct Choice {
  std::size_t turn = 0;
  std::string from; ///< all types if empty
  std::string options;
  bool onlyPrints = false;
};

class Test {
 public:
  explicit Test(const Choice& choice) : choice_(choice) {}

  bool run() {
    for (std::size_t from = 0; from < kTypes.size(); ++from)
      if (choice_.from.empty() || choice_.from == kTypes[from].name) runFrom(from);
    std::printf("%zu functions, %zu of them wrong\n", functions_, wrong_);
    return wrong_ == 0;
  }

 private:
  void runFrom(std::size_t number) {
    const Type& from = kTypes[number];
    const Program program(driver_, Program::Language::Source, source(number, choice_.turn),
                          "-cl-std=CL3.0 " + choice_.options);
    if (!program.built()) throw std::runtime_error(std::string("no program from ") + from.name + ": " + program.log());
    std::vector<std::uint64_t> values = valuesOf(from);
    for (std::size_t i = 0; values.size() % kStep != 0; ++i)
      values.push_back(values[i]);
    for (std::size_t to = 0; to < kTypes.size(); ++to)
      for (const std::size_t length : {std::size_t{1}, lengthOf(number, to, choice_.turn)})
        runPair(program, from, kTypes[to], length, values);
  }

  void runPair(const Program& program, const Type& from, const Type& to, std::size_t length,
               const std::vector<std::uint64_t>& values) {
    const std::vector<Conversion> all = conversions(from, to);
    std::vector<Argument> args(2);
    args[0].kind = args[1].kind = Argument::Kind::Buffer;
    args[0].bytes = bytesOf(from, values);
    args[1].bytes = Bytes(all.size() * values.size() * to.size(), std::byte{0xa5});
    const Range range{{values.size() / length}, {}, std::nullopt};
    runKernel(driver_, program, kernelName(to, length), range, args);
    for (std::size_t i = 0; i < all.size(); ++i)
      wrong_ += compare(all[i], length, values, args[1].bytes, i * values.size()) != 0 ? 1 : 0;
    functions_ += all.size();
  }

  const Choice& choice_;
  Driver driver_;
  std::size_t functions_ = 0, wrong_ = 0;
};

/// The reference against the machine's own conversions, where there is one.
template <class From, class To> bool agrees(const Type& from, const Type& to) {
  for (const std::uint64_t bits : valuesOf(from)) {
    const std::optional<std::uint64_t> expected = encode(to, decode(from, bits), Mode::Default, false, !from.isReal);
    From value;
    std::memcpy(&value, &bits, sizeof value);
    if (!expected || to.isNan(*expected)) continue;
    const To converted = static_cast<To>(value);
    std::uint64_t actual = 0;
    std::memcpy(&actual, &converted, sizeof converted);
    if (actual == *expected) continue;
    std::printf("the reference for %s of %s 0x%" PRIx64 ": 0x%" PRIx64 ", the machine 0x%" PRIx64 "\n", to.name,
                from.name, bits, *expected, actual);
    return false;
  }
  return true;
}

template <class From> bool agreesFrom(std::size_t from) {
  const Type& type = kTypes[from];
  return agrees<From, std::int8_t>(type, kTypes[0]) && agrees<From, std::uint8_t>(type, kTypes[1]) &&
         agrees<From, std::int16_t>(type, kTypes[2]) && agrees<From, std::uint16_t>(type, kTypes[3]) &&
         agrees<From, std::int32_t>(type, kTypes[4]) && agrees<From, std::uint32_t>(type, kTypes[5]) &&
         agrees<From, std::int64_t>(type, kTypes[6]) && agrees<From, std::uint64_t>(type, kTypes[7]) &&
         agrees<From, float>(type, kTypes[9]) && agrees<From, double>(type, kTypes[10]);
}

bool referenceAgrees() {
  return agreesFrom<std::int8_t>(0) && agreesFrom<std::uint8_t>(1) && agreesFrom<std::int16_t>(2) &&
         agreesFrom<std::uint16_t>(3) && agreesFrom<std::int32_t>(4) && agreesFrom<std::uint32_t>(5) &&
         agreesFrom<std::int64_t>(6) && agreesFrom<std::uint64_t>(7) && agreesFrom<float>(9) && agreesFrom<double>(10);
}

Choice parse(int argc, char** argv) {
  Choice choice;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--turn") choice.turn = std::strtoul(argv[i + 1], nullptr, 10);
    if (name == "--from") choice.from = argv[i + 1];
    if (name == "--options") choice.options = argv[i + 1];
    if (name == "--print") choice.onlyPrints = true;
  }
  return choice;
}

int main(int argc, char** argv) {
  const Choice choice = parse(argc, argv);
  if (choice.onlyPrints) {
    for (std::size_t from = 0; from < kTypes.size(); ++from)
      if (choice.from.empty() || choice.from == kTypes[from].name) std::printf("%s", source(from, choice.turn).c_str());
    return 0;
  }
  try {
    return referenceAgrees() && Test(choice).run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}

} // namespace
} // namespace clotho::conversions

int main(int argc, char** argv) { return clotho::conversions::main(argc, argv); }
