// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program as a whole: launch, kernel, and what is needed around it.
#include "generator.hpp"

#include <algorithm>
#include <numeric>

namespace clotho::fuzz {

const char* languageOf(std::uint64_t seed) { return seed / 8 % 3 == 2 ? "CL3.0" : "CL1.2"; }

Program generate(std::uint64_t seed) { return Generator(seed).run(); }

Generator::Generator(std::uint64_t seed)
    : seed_(seed), random_(seed), generic_(std::string(languageOf(seed)) == "CL3.0") {
  program_.seed = seed;
  program_.kernelName = "k" + std::to_string(seed);
  // Few types, so that they meet often.
  static const std::vector<int> kSizes = {1, 1, 1, 1, 2, 2, 3, 4, 4, 4, 8, 16};
  const bool vectors = random_.percent(65);
  const int count = random_.between(3, 5);
  for (int i = 0; i < count; ++i) {
    const Base base = Base(random_.below(i == 0 ? 8 : random_.percent(80) ? 8 : 10));
    palette_.push_back({base, vectors && i > 0 ? random_.pick(kSizes) : 1});
  }
  if (random_.percent(60)) palette_.push_back({random_.percent(50) ? Base::Int : Base::UInt, 1});
}

/// Bounds a floating-point value to what variables promise.
Expression Generator::bounded(Expression value) {
  if (!value.type.isFloat() || value.magnitude <= 10) return value;
  const std::string type = "(" + value.type.name() + ")";
  return make(value.type, "clamp($0, " + type + "(-1000), " + type + "(1000))", {value}, 10);
}

std::vector<Size3> Generator::localSizes() {
  const Launch& launch = program_.launch;
  std::vector<Size3> all;
  for (std::size_t x = 1; x <= launch.global[0]; ++x)
    for (std::size_t y = 1; y <= launch.global[1]; ++y)
      for (std::size_t z = 1; z <= launch.global[2]; ++z)
        if (launch.global[0] % x == 0 && launch.global[1] % y == 0 && launch.global[2] % z == 0 && x * y * z <= 256)
          all.push_back({x, y, z});
  const auto take = [&] {
    const std::size_t at = std::size_t(random_.below(int(all.size())));
    const Size3 size = all[at];
    all.erase(all.begin() + std::ptrdiff_t(at));
    return size;
  };
  std::vector<Size3> sizes;
  const std::size_t wanted = group_ ? 3 : 4;
  // At least one of a size that is worth vectorising.
  std::vector<Size3> large;
  for (const Size3& size : all)
    if (size[0] * size[1] * size[2] >= 16) large.push_back(size);
  if (!large.empty()) sizes.push_back(random_.pick(large));
  while (sizes.size() < wanted && !all.empty()) {
    const Size3 size = take();
    if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  }
  if (!group_) sizes.push_back({0, 0, 0});
  return sizes;
}

/// Local sizes with work-groups that are smaller at the upper ends of the launch. Numbers of their own, so that what
/// else a program is does not depend on them.
std::vector<Size3> Generator::nonUniformSizes() const {
  const Launch& launch = program_.launch;
  Random random(seed_ ^ 0x6f6464);
  std::vector<Size3> sizes;
  while (sizes.size() < 2) {
    Size3 local{1, 1, 1};
    for (std::size_t i = 0; i < std::size_t(launch.dimensions); ++i)
      local[i] = std::size_t(random.between(1, int(launch.global[i]) + 2));
    const bool divides =
        launch.global[0] % local[0] == 0 && launch.global[1] % local[1] == 0 && launch.global[2] % local[2] == 0;
    if (!divides && local[0] * local[1] * local[2] <= 256) sizes.push_back(local);
  }
  return sizes;
}

void Generator::launch() {
  Launch& launch = program_.launch;
  group_ = random_.percent(45);
  static const std::vector<Size3> kSizes[] = {
      {{336, 1, 1}, {132, 1, 1}, {192, 1, 1}, {97, 1, 1}, {260, 1, 1}, {64, 1, 1}, {99, 1, 1}},
      {{24, 12, 1}, {33, 8, 1}, {16, 16, 1}, {7, 30, 1}, {40, 8, 1}},
      {{10, 6, 4}, {16, 4, 4}, {5, 9, 6}, {3, 7, 11}, {20, 3, 4}}};
  launch.dimensions = random_.percent(55) ? 1 : random_.between(2, 3);
  launch.global = random_.pick(kSizes[launch.dimensions - 1]);
  if (random_.percent(35))
    for (int i = 0; i < launch.dimensions; ++i)
      launch.offset[std::size_t(i)] = std::size_t(random_.below(20));
  launch.dependsOnLocal = group_;
  launch.locals = localSizes();
  required_ = random_.percent(12);
  // OpenCL C 1.2 has none.
  const std::vector<Size3> nonUniform = generic_ ? nonUniformSizes() : std::vector<Size3>();
  if (required_ && generic_ && seed_ % 2 == 0) launch.locals = nonUniform;
  if (required_)
    launch.locals.resize(1);
  else
    launch.locals.insert(launch.locals.end(), nonUniform.begin(), nonUniform.end());
  for (const Size3& local : launch.locals)
    mostLocal_ = std::max(mostLocal_, int(local[0] * local[1] * local[2]));
}

void Generator::prologue(Block& to) {
  const Launch& launch = program_.launch;
  const auto size = [&](int i) { return std::to_string(launch.global[std::size_t(i)]); };
  const auto id = [&](int i) {
    const std::string d = std::to_string(i);
    const std::size_t offset = launch.offset[std::size_t(i)];
    if (offset == 0) return "get_global_id(" + d + ")";
    return "(get_global_id(" + d + ") - " +
           (random_.percent(50) ? std::to_string(offset) : "get_global_offset(" + d + ")") + ")";
  };
  std::string linear = id(0);
  if (launch.dimensions == 2) linear += " + " + size(0) + " * " + id(1);
  if (launch.dimensions == 3) linear += " + " + size(0) + " * (" + id(1) + " + " + size(1) + " * " + id(2) + ")";
  to.push_back(
      {"const uint gid = (uint)(" + linear + ");\nconst int sid = (int)gid;\nconst ulong lgid = " + linear + ";",
       {},
       {},
       true,
       0});
  to.push_back({"ulong h0 = gid, h1 = 1, h2 = 2, h3 = 3;", {}, {}, true, 0});
  const auto known = [&](const char* name, Base base, bool uniform) {
    scope_.push_back({name, {base, 1}, 0, 0, -1, uniform, false});
  };
  known("gid", Base::UInt, false);
  known("sid", Base::Int, false);
  known("lgid", Base::ULong, false);
  for (int i = 0; i < launch.dimensions; ++i)
    known(i == 0 ? "get_global_id(0)" : i == 1 ? "get_global_id(1)" : "get_global_id(2)", Base::ULong, false);
  known("ua", Base::UInt, true);
  known("ub", Base::Int, true);
  known("uc", Base::ULong, true);
  known("get_global_size(0)", Base::ULong, true);
  scope_.push_back({"ud", {Base::Int, 4}, 0, 0, -1, true, false});
  if (!group_) return;
  static constexpr const char* kLocal[] = {
      "get_local_id(0)", "get_local_id(0) + get_local_size(0) * get_local_id(1)",
      "get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2))"};
  static constexpr const char* kSizes[] = {"get_local_size(0)", "get_local_size(0) * get_local_size(1)",
                                           "get_local_size(0) * get_local_size(1) * get_local_size(2)"};
  to.push_back({"const uint lid = (uint)(" + std::string(kLocal[launch.dimensions - 1]) +
                    ");\nconst uint ls = (uint)(" + kSizes[launch.dimensions - 1] + ");",
                {},
                {},
                true,
                0});
  known("lid", Base::UInt, false);
  known("get_local_id(0)", Base::ULong, false);
  if (launch.dimensions > 1) known("get_local_id(1)", Base::ULong, false);
  known("ls", Base::UInt, true);
  known("get_group_id(0)", Base::ULong, true);
  if (launch.dimensions > 1) known("get_group_id(1)", Base::ULong, true);
  known("get_num_groups(0)", Base::ULong, true);
  declareLocals(to);
}

void Generator::epilogue(Block& to) {
  for (const Variable& variable : std::vector<Variable>(scope_))
    if (variable.writable || random_.percent(10)) fold(to, variable);
  if (!counters_.empty())
    to.push_back({"barrier(CLK_LOCAL_MEM_FENCE);\nh0 ^= " + counters_ + "[lid & 7];\nh1 ^= (ulong)" + extremes_ +
                      "[(lid + 3) & 7];\n"
                      // Atomics may follow, which others must not run while this one still reads.
                      "barrier(CLK_LOCAL_MEM_FENCE);",
                  {},
                  {},
                  true,
                  0});
}

// NOLINTNEXTLINE(readability-function-size): the kernel from its first line to its last
void Generator::kernel() {
  Launch& launch = program_.launch;
  inKernel_ = true;
  scope_.clear();
  sources_.clear();
  const std::size_t items = launch.items();
  std::string parameters = "global ulong *out";
  const auto buffer = [&](Argument::Kind kind, Argument::Fill fill, std::size_t bytes, const std::string& name) {
    launch.arguments.push_back({kind, fill, bytes, name});
  };
  buffer(Argument::Kind::Output, Argument::Fill::Zero, items * 32, "out");

  constexpr std::size_t kInputBytes = 8192 + 256;
  const bool restricted = random_.percent(30);
  const int inputs = random_.between(1, 3);
  for (int i = 0; i < inputs; ++i) {
    Type type = someInteger();
    if (i == 0 || random_.percent(70)) type.n = 1;
    if (type.n == 3) type.n = 4;
    const std::string name = "in" + std::to_string(i);
    parameters += ", global const " + type.name() + " *" + (restricted ? "restrict " : "") + name;
    const int elements = std::min(8192 / type.bytes(), 2048);
    sources_.push_back({name, type, elements, false, -1, elements < 1024});
    buffer(Argument::Kind::Input, Argument::Fill::Bits, kInputBytes, name);
  }
  if (std::any_of(palette_.begin(), palette_.end(), [](Type type) { return type.isFloat(); })) {
    const bool single = random_.percent(70);
    parameters += single ? ", global const float *fin" : ", global const double *fin";
    sources_.push_back({"fin", {single ? Base::Float : Base::Double, 1}, 1024, false, -1, false});
    buffer(Argument::Kind::Input, single ? Argument::Fill::Floats : Argument::Fill::Doubles, kInputBytes, "fin");
  }
  for (std::size_t s = 0; s < structures_.size(); ++s)
    if (!structures_[s].floats && random_.percent(50)) {
      const std::string name = "st" + std::to_string(s);
      parameters += ", global const " + structures_[s].name + " *" + name;
      sources_.push_back({name, {}, 16, true, int(s), true});
      buffer(Argument::Kind::Input, Argument::Fill::Bits, 64 << 10, name);
    }
  const int stores = random_.between(1, 2);
  for (int i = 0; i < stores; ++i) {
    Store store{"o" + std::to_string(i), someInteger(), 1 << random_.below(3), Store::Order(random_.below(4))};
    if (store.type.n == 3 || random_.percent(40)) store.type.n = 1;
    if (store.type.bytes() > 32) store.type.n = 2;
    parameters += ", global " + store.type.name() + " *" + (restricted ? "restrict " : "") + store.text;
    buffer(Argument::Kind::Output, Argument::Fill::Bits, items * std::size_t(store.slots * store.type.bytes()),
           store.text);
    stores_.push_back(store);
  }
  parameters += ", global uint *own, global uint *counters, uint ua, int ub, ulong uc, int4 ud";
  buffer(Argument::Kind::Output, Argument::Fill::Bits, items * 8, "own");
  buffer(Argument::Kind::Output, Argument::Fill::Bits, 64 * 4, "counters");
  buffer(Argument::Kind::Value, Argument::Fill::Bits, 4, "ua");
  buffer(Argument::Kind::Value, Argument::Fill::Bits, 4, "ub");
  buffer(Argument::Kind::Value, Argument::Fill::Bits, 8, "uc");
  buffer(Argument::Kind::Value, Argument::Fill::Bits, 16, "ud");

  Block body;
  prologue(body);
  const bool adjacent = random_.percent(50);
  returning_ = std::string("{ out[gid") + (adjacent ? " * 4" : "") + "] = h0 ^ h1 ^ h2 ^ h3; return; }";
  Flow flow;
  flow.uniform = true;
  flow.barriers = group_;
  flow.mayReturn = true;
  budget_ = random_.percent(10) ? 20 : random_.between(3, 9);
  const int statements = random_.between(2, 5);
  for (int i = 0; i < 2; ++i)
    declaration(body, flow);
  for (int i = 0; i < statements; ++i)
    statement(body, flow);
  epilogue(body);
  if (group_ && random_.percent(50)) { // after the last barrier they may go as they like
    flow.barriers = false;
    budget_ = 6;
    for (int i = random_.between(1, 3); i > 0; --i)
      statement(body, flow);
    for (const Variable& variable : std::vector<Variable>(scope_))
      if (variable.writable && random_.percent(30)) fold(body, variable);
  }
  const std::string n = std::to_string(items);
  for (int i = 0; i < 4; ++i) {
    const std::string k = std::to_string(i);
    body.push_back(
        {adjacent ? "out[gid * 4 + " + k + "] = h" + k + ";" : "out[" + k + " * " + n + " + gid] = h" + k + ";",
         {},
         {},
         false,
         0});
  }
  std::string attribute;
  if (required_) {
    const Size3& local = launch.locals[0];
    attribute = "__attribute__((reqd_work_group_size(" + std::to_string(local[0]) + ", " + std::to_string(local[1]) +
                ", " + std::to_string(local[2]) + "))) ";
  }
  program_.units.push_back(
      {attribute + "kernel void " + program_.kernelName + "(" + parameters + localParameter_ + ") @0",
       {},
       {std::move(body)},
       true,
       0});
}

Program Generator::run() {
  launch();
  structures();
  constants();
  for (int i = random_.below(4); i > 0; --i)
    helper();
  kernel();
  // What makes one word of a value, before all that uses it.
  Block folds;
  for (const auto& [name, type] : folds_) {
    std::string text = "ulong " + foldFunction(type) + "(" + name + " x) {";
    if (type.scalar()) {
      text += " return (ulong)" + std::string(type.isFloat() ? "(long)" : "") + "x; }";
    } else {
      const std::string n = std::to_string(type.n);
      text += " ulong" + n +
              " y = " + (type.isFloat() ? "as_ulong" + n + "(convert_long" + n + "(x))" : "convert_ulong" + n + "(x)") +
              "; return y.s0";
      for (int i = 1; i < type.n; ++i)
        text += std::string(" ^ rotate(y.s") + "0123456789abcdef"[i] + ", " + std::to_string(i * 7 % 64) + "UL)";
      text += "; }";
    }
    folds.push_back({std::move(text), {}, {}, false, 0});
  }
  program_.units.insert(program_.units.begin(), folds.begin(), folds.end());
  fuzz::number(program_);
  return std::move(program_);
}

} // namespace clotho::fuzz
