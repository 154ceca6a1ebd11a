// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random kernels with sub-group functions in divergent flow, against a scalar model of them: an interpreter that runs
// one sub-group with a set of live lanes. `clotho-random-sub-groups FIRST-LAST [--widths 1,4] [--print]`.
//
// What the model takes for granted: lanes meet again where a statement ends; those that continue, at the end of the
// round; those that break, after the loop, and what they do before is done with those of the same round.
#include "random.hpp"

#include <CL/cl.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace clotho::fuzz {
namespace {

constexpr int kVariables = 4;
constexpr int kProgramsAtOnce = 8;
constexpr unsigned kGlobal = 240;

struct Expression {
  enum class Kind { Variable, Number, Lane, Round, Add, Xor, Times, And, Shift, Less, Equal } kind = Kind::Number;
  unsigned number = 0; // of the variable; the number itself
  std::vector<Expression> operands;
};

enum class Function {
  ReduceAdd,
  ReduceMin,
  ReduceMax,
  ReduceXor,
  InclusiveAdd,
  InclusiveMax,
  ExclusiveAdd,
  ExclusiveMin,
  Count,
  Ballot,
  Elect,
  Any,
  All,
  AllEqual,
  First,
  Pick,
  Cluster,
  Last = Cluster,
};

struct Statement {
  enum class Kind { Assign, Call, If, Switch, Loop, Continue, Break, Return } kind = Kind::Assign;
  int target = 0;
  Function function = Function::ReduceAdd;
  unsigned bits = 32; // of the operand's type
  std::vector<Expression> expressions;
  std::vector<std::vector<Statement>> blocks;
};
using Block = std::vector<Statement>;

// --- Making programs ---

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed * 7919 + 13) {}

  Block program() {
    Block body;
    for (int i = random_.between(3, 6); i > 0; --i)
      body.push_back(statement(0, /*inLoop=*/false));
    return body;
  }

 private:
  Expression expression(int depth) {
    using Kind = Expression::Kind;
    if (depth == 0 || random_.percent(25)) {
      switch (random_.below(6)) {
      case 0: return {Kind::Number, unsigned(random_.below(40)), {}};
      case 1: return {Kind::Lane, 0, {}};
      case 2: return {rounds_ > 0 ? Kind::Round : Kind::Lane, unsigned(std::max(rounds_ - 1, 0)), {}};
      default: return {Kind::Variable, unsigned(random_.below(kVariables)), {}};
      }
    }
    const Kind kind = Kind(int(Kind::Add) + random_.below(int(Kind::Equal) - int(Kind::Add) + 1));
    return {kind, 0, {expression(depth - 1), expression(depth - 1)}};
  }

  Block block(int depth, bool inLoop) {
    Block made;
    for (int i = random_.between(1, 3); i > 0; --i)
      made.push_back(statement(depth, inLoop));
    return made;
  }

  Statement statement(int depth, bool inLoop) {
    using Kind = Statement::Kind;
    const int dice = random_.below(100);
    Statement made;
    made.target = random_.below(kVariables);
    if (depth >= 4 || dice < 20) {
      made.expressions = {expression(2)};
      if (depth >= 4 || random_.percent(50)) call(made);
      return made;
    }
    if (dice < 50) {
      call(made);
      return made;
    }
    made.expressions = {expression(2)};
    if (dice < 70) {
      made.kind = Kind::If;
      made.blocks = {block(depth + 1, inLoop)};
      if (random_.percent(60)) made.blocks.push_back(block(depth + 1, inLoop));
    } else if (dice < 78) {
      made.kind = Kind::Switch;
      for (int i = 0; i < 4; ++i)
        made.blocks.push_back(block(depth + 1, false)); // a break would be the switch's
    } else if (dice < 90 && rounds_ < 2) {
      made.kind = Kind::Loop;
      ++rounds_;
      made.blocks = {block(depth + 1, true)};
      --rounds_;
    } else if (inLoop && dice < 97) {
      made.kind = random_.percent(40) ? Kind::Continue : Kind::Break;
      made.blocks = {last()};
    } else if (depth == 0 ? random_.percent(30) : random_.percent(20)) {
      made.kind = Kind::Return;
      made.blocks = {last()};
    } else {
      call(made);
    }
    return made;
  }

  /// What is done before leaving.
  Block last() {
    Block made;
    for (int i = random_.below(3); i > 0; --i)
      call(made.emplace_back());
    for (Statement& statement : made)
      statement.target = random_.below(kVariables);
    return made;
  }

  void call(Statement& made) {
    static const std::vector<unsigned> kBits = {32, 32, 32, 8, 16, 64};
    made.kind = Statement::Kind::Call;
    made.function = Function(random_.below(int(Function::Last) + 1));
    made.bits =
        made.function <= Function::ExclusiveMin && made.function != Function::ReduceXor ? random_.pick(kBits) : 32;
    made.expressions = {expression(2), expression(1)};
  }

  Random random_;
  int rounds_ = 0;
};

// --- Printing them ---

std::string text(const Expression& e) {
  using Kind = Expression::Kind;
  const auto binary = [&](const char* op) {
    return "(" + text(e.operands[0]) + " " + op + " " + text(e.operands[1]) + ")";
  };
  switch (e.kind) {
  case Kind::Variable: return "v" + std::to_string(e.number);
  case Kind::Number: return std::to_string(e.number) + "u";
  case Kind::Lane: return "lane";
  case Kind::Round: return "r" + std::to_string(e.number);
  case Kind::Add: return binary("+");
  case Kind::Xor: return binary("^");
  case Kind::Times: return binary("*");
  case Kind::And: return binary("&");
  case Kind::Shift: return "(" + text(e.operands[0]) + " >> (" + text(e.operands[1]) + " & 31u))";
  case Kind::Less: return "(uint)" + binary("<");
  case Kind::Equal: return "(uint)((" + text(e.operands[0]) + " & 3u) == (" + text(e.operands[1]) + " & 3u))";
  }
  return "";
}

std::string callText(const Statement& s) {
  const std::string a = text(s.expressions[0]);
  const std::string b = text(s.expressions[1]);
  const std::string type = s.bits == 8 ? "uchar" : s.bits == 16 ? "ushort" : s.bits == 64 ? "ulong" : "uint";
  const auto of = [&](const char* function) {
    return "(uint)sub_group_non_uniform_" + std::string(function) + "((" + type + ")(" + a + "))";
  };
  switch (s.function) {
  case Function::ReduceAdd: return "(uint)sub_group_reduce_add((" + type + ")(" + a + "))";
  case Function::ReduceMin: return of("reduce_min");
  case Function::ReduceMax: return of("reduce_max");
  case Function::ReduceXor: return of("reduce_xor");
  case Function::InclusiveAdd: return of("scan_inclusive_add");
  case Function::InclusiveMax: return "(uint)sub_group_scan_inclusive_max((" + type + ")(" + a + "))";
  case Function::ExclusiveAdd: return of("scan_exclusive_add");
  case Function::ExclusiveMin: return of("scan_exclusive_min");
  case Function::Count: return "sub_group_ballot_bit_count(sub_group_ballot(" + a + " & 1u))";
  case Function::Ballot: return "sub_group_ballot(" + a + " & 2u).x";
  case Function::Elect: return "(uint)sub_group_elect()";
  case Function::Any: return "(uint)sub_group_any((" + a + ") > 30u)";
  case Function::All: return "(uint)sub_group_non_uniform_all((" + a + ") > 3u)";
  case Function::AllEqual: return "(uint)sub_group_non_uniform_all_equal((" + a + ") & 4u)";
  case Function::First: return "sub_group_broadcast_first(" + a + ")";
  case Function::Pick: return "pick(" + a + ", " + b + ")";
  case Function::Cluster: return "sub_group_clustered_reduce_add(" + a + ", 4)";
  }
  return "";
}

void print(std::string& out, const Block& block, int depth, int& rounds);

void print(std::string& out, const Statement& s, int depth, int& rounds) {
  using Kind = Statement::Kind;
  const std::string indent(std::size_t(depth) * 2, ' ');
  const auto inner = [&](const Block& block) {
    out += " {\n";
    print(out, block, depth + 1, rounds);
    out += indent + "}";
  };
  out += indent;
  const std::string first = s.expressions.empty() ? "" : text(s.expressions[0]);
  switch (s.kind) {
  case Kind::Assign: out += "v" + std::to_string(s.target) + " = " + first + ";"; break;
  case Kind::Call: out += "v" + std::to_string(s.target) + " += " + callText(s) + ";"; break;
  case Kind::If:
    out += "if (" + first + " & 1u)";
    inner(s.blocks[0]);
    if (s.blocks.size() > 1) {
      out += " else";
      inner(s.blocks[1]);
    }
    break;
  case Kind::Switch:
    out += "switch (" + first + " & 3u) {";
    for (std::size_t i = 0; i < s.blocks.size(); ++i) {
      out += "\n" + indent + (i + 1 < s.blocks.size() ? "case " + std::to_string(i) : "default") + ":";
      inner(s.blocks[i]);
      out += " break;";
    }
    out += "\n" + indent + "}";
    break;
  case Kind::Loop: {
    const std::string r = "r" + std::to_string(rounds++);
    out += "for (uint " + r + " = 0, n = (" + first + ") & 7u; " + r + " < n; " + r + "++)";
    inner(s.blocks[0]);
    --rounds;
    break;
  }
  case Kind::Continue:
  case Kind::Break:
  case Kind::Return:
    out += "if (" + first + " & 1u) {\n";
    print(out, s.blocks[0], depth + 1, rounds);
    out += indent + (s.kind == Kind::Continue ? "  continue;"
                     : s.kind == Kind::Break  ? "  break;"
                                              : "  out[4 * i] = v0;\n" + indent + "  return;");
    out += "\n" + indent + "}";
    break;
  }
  out += "\n";
}

void print(std::string& out, const Block& block, int depth, int& rounds) {
  for (const Statement& statement : block)
    print(out, statement, depth, rounds);
}

std::string source(std::uint64_t seed, const Block& body) {
  std::string out = "kernel void k" + std::to_string(seed) +
                    "(global const uint* in, global uint* out) {\n"
                    "  const size_t i = get_global_id(0) + get_global_size(0) * get_global_id(1);\n"
                    "  const uint lane = get_sub_group_local_id();\n"
                    "  uint v0 = in[i], v1 = in[i] >> 7, v2 = (uint)i, v3 = 1;\n";
  int rounds = 0;
  print(out, body, 1, rounds);
  return out + "  out[4 * i] = v0;\n  out[4 * i + 1] = v1;\n  out[4 * i + 2] = v2;\n  out[4 * i + 3] = v3;\n}\n";
}

constexpr const char* kPrelude = "uint pick(uint value, uint from) {\n"
                                 "  from %= get_sub_group_size();\n"
                                 "  const uint4 live = sub_group_ballot(1);\n"
                                 "  const uint found = sub_group_shuffle(value, from);\n"
                                 "  return sub_group_ballot_bit_extract(live, from) ? found : 7u;\n"
                                 "}\n";

// --- The model ---

/// One sub-group.
class Model {
 public:
  using Live = std::vector<bool>;
  Model(unsigned width, const std::vector<unsigned>& items, const std::vector<std::uint32_t>& in,
        std::vector<std::uint32_t>& out)
      : width_(width), size_(unsigned(items.size())), items_(items), out_(out) {
    for (unsigned lane = 0; lane < size_; ++lane) {
      const std::uint32_t given = in[items[lane]];
      values_.push_back({given, given >> 7, items[lane], 1});
    }
    rounds_.fill(std::vector<std::uint32_t>(size_, 0));
  }

  void run(const Block& body) {
    const Live live = execute(body, Live(size_, true));
    for (unsigned lane = 0; lane < size_; ++lane)
      for (int v = 0; live[lane] && v < kVariables; ++v)
        out_[4 * items_[lane] + unsigned(v)] = values_[lane][std::size_t(v)];
  }

 private:
  std::uint32_t evaluate(const Expression& e, unsigned lane) const {
    using Kind = Expression::Kind;
    const auto operand = [&](std::size_t i) { return evaluate(e.operands[i], lane); };
    switch (e.kind) {
    case Kind::Variable: return values_[lane][e.number];
    case Kind::Number: return e.number;
    case Kind::Lane: return lane;
    case Kind::Round: return rounds_[e.number][lane];
    case Kind::Add: return operand(0) + operand(1);
    case Kind::Xor: return operand(0) ^ operand(1);
    case Kind::Times: return operand(0) * operand(1);
    case Kind::And: return operand(0) & operand(1);
    case Kind::Shift: return operand(0) >> (operand(1) & 31);
    case Kind::Less: return operand(0) < operand(1);
    case Kind::Equal: return (operand(0) & 3) == (operand(1) & 3);
    }
    return 0;
  }

  Live execute(const Block& block, Live live) {
    for (const Statement& statement : block)
      live = execute(statement, live);
    return live;
  }

  static Live both(const Live& a, const Live& b) {
    Live result = a;
    for (std::size_t i = 0; i < a.size(); ++i)
      result[i] = a[i] || b[i];
    return result;
  }

  /// Returns who goes on with the next statement.
  Live execute(const Statement& s, const Live& live) {
    using Kind = Statement::Kind;
    const auto where = [&](auto&& condition) {
      Live result(size_, false);
      for (unsigned lane = 0; lane < size_; ++lane)
        result[lane] = live[lane] && condition(evaluate(s.expressions[0], lane));
      return result;
    };
    const auto holds = [](std::uint32_t value) { return (value & 1) != 0; };
    const auto fails = [](std::uint32_t value) { return (value & 1) == 0; };
    switch (s.kind) {
    case Kind::Assign: {
      for (unsigned lane = 0; lane < size_; ++lane)
        if (live[lane]) values_[lane][std::size_t(s.target)] = evaluate(s.expressions[0], lane);
      return live;
    }
    case Kind::Call: call(s, live); return live;
    case Kind::If: {
      const Live otherwise = where(fails), then = execute(s.blocks[0], where(holds));
      return both(then, s.blocks.size() > 1 ? execute(s.blocks[1], otherwise) : otherwise);
    }
    case Kind::Switch: {
      std::vector<Live> cases;
      for (unsigned i = 0; i < 4; ++i)
        cases.push_back(where([&](std::uint32_t value) { return (value & 3) == i; }));
      Live after(size_, false);
      for (unsigned i = 0; i < 4; ++i)
        after = both(after, execute(s.blocks[i], cases[i]));
      return after;
    }
    case Kind::Loop: return loop(s, live);
    case Kind::Continue:
    case Kind::Break:
    case Kind::Return: {
      const Live others = where(fails), leaving = execute(s.blocks[0], where(holds));
      if (s.kind == Kind::Continue) continued_.back() = both(continued_.back(), leaving);
      if (s.kind == Kind::Break) broken_.back() = both(broken_.back(), leaving);
      for (unsigned lane = 0; lane < size_; ++lane)
        if (leaving[lane] && s.kind == Kind::Return) out_[4 * items_[lane]] = values_[lane][0];
      return others;
    }
    }
    return live;
  }

  Live loop(const Statement& s, const Live& live) {
    std::vector<std::uint32_t> most(size_, 0);
    for (unsigned lane = 0; lane < size_; ++lane)
      if (live[lane]) most[lane] = evaluate(s.expressions[0], lane) & 7;
    const std::size_t depth = broken_.size();
    Live in = live, after(size_, false);
    broken_.emplace_back(size_, false);
    std::fill(rounds_[depth].begin(), rounds_[depth].end(), 0);
    for (std::uint32_t round = 0;; ++round) {
      for (unsigned lane = 0; lane < size_; ++lane) {
        rounds_[depth][lane] = round;
        if (in[lane] && round >= most[lane]) {
          in[lane] = false;
          after[lane] = true;
        }
      }
      if (std::find(in.begin(), in.end(), true) == in.end()) break;
      continued_.emplace_back(size_, false);
      in = execute(s.blocks[0], in);
      in = both(in, continued_.back());
      continued_.pop_back();
    }
    after = both(after, broken_.back());
    broken_.pop_back();
    return after;
  }

  void call(const Statement& s, const Live& live) {
    const std::uint64_t mask = s.bits == 64 ? ~0ULL : (1ULL << s.bits) - 1;
    std::vector<std::uint64_t> a(size_), b(size_), result(size_);
    unsigned first = size_;
    for (unsigned lane = size_; lane-- > 0;)
      if (live[lane]) {
        a[lane] = evaluate(s.expressions[0], lane) & mask;
        b[lane] = evaluate(s.expressions[1], lane);
        first = lane;
      }
    if (first == size_) return;
    /// From the first of the lanes to before the second, those that are live.
    const auto over = [&](unsigned from, unsigned end, std::uint64_t start, auto&& step) {
      std::uint64_t value = start;
      for (unsigned lane = from; lane < std::min(end, size_); ++lane)
        if (live[lane]) value = step(value, a[lane]) & mask;
      return value;
    };
    const auto add = [](std::uint64_t x, std::uint64_t y) { return x + y; };
    const auto less = [](std::uint64_t x, std::uint64_t y) { return std::min(x, y); };
    const auto more = [](std::uint64_t x, std::uint64_t y) { return std::max(x, y); };
    const auto flip = [](std::uint64_t x, std::uint64_t y) { return x ^ y; };
    const auto count = [&](auto&& wanted) {
      return over(0, size_, 0, [&](std::uint64_t x, std::uint64_t y) { return x + (wanted(y) ? 1 : 0); });
    };
    const std::uint64_t all = count([](std::uint64_t) { return true; });
    for (unsigned lane = 0; lane < size_; ++lane) {
      if (!live[lane]) continue;
      const auto value = [&]() -> std::uint64_t {
        switch (s.function) {
        case Function::ReduceAdd: return over(0, size_, 0, add);
        case Function::ReduceMin: return over(0, size_, mask, less);
        case Function::ReduceMax: return over(0, size_, 0, more);
        case Function::ReduceXor: return over(0, size_, 0, flip);
        case Function::InclusiveAdd: return over(0, lane + 1, 0, add);
        case Function::InclusiveMax: return over(0, lane + 1, 0, more);
        case Function::ExclusiveAdd: return over(0, lane, 0, add);
        case Function::ExclusiveMin: return over(0, lane, mask, less);
        case Function::Count: return count([](std::uint64_t x) { return (x & 1) != 0; });
        case Function::Ballot: {
          std::uint64_t bits = 0;
          for (unsigned i = 0; i < std::min(size_, 32U); ++i)
            if (live[i] && (a[i] & 2)) bits |= 1ULL << i;
          return bits;
        }
        case Function::Elect: return lane == first;
        case Function::Any: return count([](std::uint64_t x) { return x > 30; }) > 0;
        case Function::All: return count([](std::uint64_t x) { return x > 3; }) == all;
        case Function::AllEqual: return count([&](std::uint64_t x) { return (x & 4) == (a[first] & 4); }) == all;
        case Function::First: return a[first];
        case Function::Pick: {
          const unsigned from = unsigned(b[lane]) % size_;
          return live[from] ? a[from] : 7;
        }
        case Function::Cluster: {
          const unsigned cluster = std::min(width_, 4U);
          return over(lane / cluster * cluster, lane / cluster * cluster + cluster, 0, add);
        }
        }
        return 0;
      };
      result[lane] = value();
    }
    for (unsigned lane = 0; lane < size_; ++lane)
      if (live[lane]) values_[lane][std::size_t(s.target)] += std::uint32_t(result[lane]);
  }

  unsigned width_, size_;
  const std::vector<unsigned>& items_;
  std::vector<std::uint32_t>& out_;
  std::vector<std::array<std::uint32_t, kVariables>> values_;
  std::array<std::vector<std::uint32_t>, 4> rounds_;
  std::vector<Live> broken_, continued_;
};

// --- Running both ---

struct Shape {
  unsigned global[2], local[2];
};
constexpr Shape kShapes[] = {{{240, 1}, {16, 1}}, {{240, 1}, {24, 1}}, {{240, 1}, {5, 1}},
                             {{240, 1}, {80, 1}}, {{20, 12}, {5, 6}},  {{48, 5}, {16, 5}}};

std::vector<std::uint32_t> expected(const Block& body, unsigned width, const Shape& shape,
                                    const std::vector<std::uint32_t>& in) {
  std::vector<std::uint32_t> out(4 * kGlobal, 0);
  for (unsigned gy = 0; gy < shape.global[1]; gy += shape.local[1])
    for (unsigned gx = 0; gx < shape.global[0]; gx += shape.local[0]) {
      std::vector<unsigned> items; // of the work-group, by linear id
      for (unsigned y = 0; y < shape.local[1]; ++y)
        for (unsigned x = 0; x < shape.local[0]; ++x)
          items.push_back(gx + x + shape.global[0] * (gy + y));
      for (std::size_t begin = 0; begin < items.size(); begin += width) {
        const std::vector<unsigned> some(items.begin() + std::ptrdiff_t(begin),
                                         items.begin() + std::ptrdiff_t(std::min(begin + width, items.size())));
        Model(width, some, in, out).run(body);
      }
    }
  return out;
}

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) throw std::runtime_error(std::string(what) + " gives " + std::to_string(status));
}

class Driver {
 public:
  Driver() {
    cl_platform_id platform = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "clGetDeviceIDs");
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue_ = clCreateCommandQueueWithProperties(context_, device_, nullptr, &status);
    check(status, "clCreateCommandQueueWithProperties");
    Random random(5);
    for (unsigned i = 0; i < kGlobal; ++i)
      input_.push_back(std::uint32_t(random.below(1 << 20)));
    in_ = clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, kGlobal * 4, input_.data(), &status);
    check(status, "clCreateBuffer");
    out_ = clCreateBuffer(context_, CL_MEM_READ_WRITE, kGlobal * 16, nullptr, &status);
    check(status, "clCreateBuffer");
  }

  /// Returns how many programs differ from the model.
  int compare(std::uint64_t first, std::uint64_t last, unsigned width) {
    std::string text = kPrelude;
    std::vector<Block> bodies;
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      bodies.push_back(Maker(seed).program());
      text += source(seed, bodies.back());
    }
    const char* raw = text.c_str();
    cl_int status = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(context_, 1, &raw, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    const std::string options = "-cl-std=CL3.0 -clotho-width=" + std::to_string(width);
    if (clBuildProgram(program, 1, &device_, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
      std::string log(1 << 16, '\0');
      clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
      throw std::runtime_error("seeds from " + std::to_string(first) + " do not build: " + log.c_str());
    }
    int differing = 0;
    for (std::uint64_t seed = first; seed <= last; ++seed)
      differing += !agrees(program, seed, bodies[seed - first], width);
    clReleaseProgram(program);
    return differing;
  }

 private:
  bool agrees(cl_program program, std::uint64_t seed, const Block& body, unsigned width) {
    cl_int status = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, ("k" + std::to_string(seed)).c_str(), &status);
    check(status, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof in_, &in_), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof out_, &out_), "clSetKernelArg");
    bool good = true;
    for (const Shape& shape : kShapes) {
      const std::size_t global[] = {shape.global[0], shape.global[1]}, local[] = {shape.local[0], shape.local[1]};
      std::size_t size = 0;
      check(clGetKernelSubGroupInfo(kernel, device_, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local, local,
                                    sizeof size, &size, nullptr),
            "clGetKernelSubGroupInfo");
      std::vector<std::uint32_t> out(4 * kGlobal, 0);
      check(clEnqueueWriteBuffer(queue_, out_, CL_TRUE, 0, out.size() * 4, out.data(), 0, nullptr, nullptr), "write");
      check(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global, local, 0, nullptr, nullptr), "launch");
      check(clEnqueueReadBuffer(queue_, out_, CL_TRUE, 0, out.size() * 4, out.data(), 0, nullptr, nullptr), "read");
      // What uses no sub-group function has the device's size, and any is right.
      const std::vector<std::uint32_t> wanted = expected(body, unsigned(size), shape, input_);
      const auto [is, should] = std::mismatch(out.begin(), out.end(), wanted.begin());
      if (is == out.end()) continue;
      const std::ptrdiff_t at = is - out.begin();
      std::printf("seed %llu, width %u (sub-groups of %zu), local size %ux%u: v%td of work-item %td is %u, not %u\n",
                  static_cast<unsigned long long>(seed), width, size, shape.local[0], shape.local[1], at % 4, at / 4,
                  *is, *should);
      good = false;
      break;
    }
    clReleaseKernel(kernel);
    return good;
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_mem in_ = nullptr, out_ = nullptr;
  std::vector<std::uint32_t> input_;
};

int run(const std::string& seeds, const std::string& widths, bool prints) {
  const std::uint64_t first = std::strtoull(seeds.c_str(), nullptr, 10);
  const std::size_t dash = seeds.find('-');
  const std::uint64_t last = dash == std::string::npos ? first : std::strtoull(seeds.c_str() + dash + 1, nullptr, 10);
  if (prints) {
    for (std::uint64_t seed = first; seed <= last; ++seed)
      std::fputs(source(seed, Maker(seed).program()).c_str(), stdout);
    return 0;
  }
  Driver driver;
  int differing = 0;
  for (std::uint64_t seed = first; seed <= last; seed += kProgramsAtOnce) {
    std::istringstream list(widths);
    for (std::string width; std::getline(list, width, ',');)
      differing += driver.compare(seed, std::min(seed + kProgramsAtOnce - 1, last), unsigned(std::stoul(width)));
  }
  std::printf("%llu programs, %d differences from the model\n", static_cast<unsigned long long>(last - first + 1),
              differing);
  return differing == 0 ? 0 : 1;
}

} // namespace
} // namespace clotho::fuzz

int main(int argc, char** argv) {
  std::string seeds = "0-99", widths = "1,4,8,16,32,64";
  bool prints = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--print")
      prints = true;
    else if (argument == "--widths" && i + 1 < argc)
      widths = argv[++i];
    else
      seeds = argument;
  }
  try {
    return clotho::fuzz::run(seeds, widths, prints);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
