// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random kernels with sub-group functions in divergent flow, against a scalar model of them: an interpreter that runs
// one sub-group with a set of live lanes. `clotho-random-sub-groups FIRST-LAST [--widths 1,4] [--print | --reduce]`:
// --reduce makes programs that differ smaller, and prints them.
//
// What the model takes for granted: lanes meet again where a statement ends; those that continue, at the end of the
// round; those that break, after the loop, and what they do before is done with those of the same round.
#include "random.hpp"
#include "sub_group_program.hpp"

#include <CL/cl.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace clotho::fuzz::sub_groups {
namespace {

constexpr int kProgramsAtOnce = 8;
constexpr unsigned kGlobal = 240;

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
      const Live staying = in;
      for (unsigned lane = 0; lane < size_; ++lane)
        if (staying[lane] && !goesOn(s, staying, lane)) {
          in[lane] = false;
          after[lane] = true;
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

  /// Whether a lane runs another iteration; `live` has the lanes with iterations left.
  bool goesOn(const Statement& s, const Live& live, unsigned lane) const {
    switch (s.condition) {
    case Condition::None: return true;
    case Condition::And: return (evaluate(s.expressions[1], lane) & 3) != 1;
    case Condition::Select: return (evaluate(s.expressions[1], lane) & 7) != 2;
    case Condition::Any:
      for (unsigned other = 0; other < size_; ++other)
        if (live[other] && (evaluate(s.expressions[1], other) & 1) != 0) return true;
      return false;
    }
    return true;
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

  /// Returns how many of the programs, whose seeds begin with `first`, differ from the model.
  int compare(std::uint64_t first, const std::vector<Block>& bodies, unsigned width) {
    std::string text = kPrelude;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      text += sourceOf(first + i, bodies[i]);
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
    for (std::size_t i = 0; i < bodies.size(); ++i)
      differing += !agrees(program, first + i, bodies[i], width);
    clReleaseProgram(program);
    return differing;
  }

  /// The model goes by the size of sub-groups that the driver tells; nearly all programs have the one that was asked
  /// for, but for those that cannot tell.
  bool ranAsAsked() const { return asAsked_ * 10 >= launches_ * 9; }

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
      ++launches_;
      asAsked_ += width == 0 || size == width;
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
  unsigned launches_ = 0, asAsked_ = 0;
};

/// Each smaller program in turn: without a statement, or with what is in a statement instead of it. Ends when `visit`
/// says that it takes one.
bool smaller(const Block& whole, Block& part, const std::function<bool(const Block&)>& visit) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    const Statement statement = part[i];
    part.erase(part.begin() + std::ptrdiff_t(i));
    if (visit(whole)) return true;
    for (const Block& block : statement.blocks) {
      // A jump has no place outside its loop.
      if (statement.kind == Statement::Kind::Loop) break;
      part.insert(part.begin() + std::ptrdiff_t(i), block.begin(), block.end());
      if (visit(whole)) return true;
      part.erase(part.begin() + std::ptrdiff_t(i), part.begin() + std::ptrdiff_t(i + block.size()));
    }
    part.insert(part.begin() + std::ptrdiff_t(i), statement);
    for (Block& block : part[i].blocks)
      if (smaller(whole, block, visit)) return true;
  }
  return false;
}

/// Makes a program smaller as long as it differs from the model.
Block reduced(Driver& driver, std::uint64_t seed, Block body, unsigned width) {
  for (bool isSmaller = true; isSmaller;)
    isSmaller = smaller(body, body, [&](const Block& some) { return driver.compare(seed, {some}, width) > 0; });
  return body;
}

int run(const std::string& seeds, const std::string& widths, bool prints, bool reduces) {
  const std::uint64_t first = std::strtoull(seeds.c_str(), nullptr, 10);
  const std::size_t dash = seeds.find('-');
  const std::uint64_t last = dash == std::string::npos ? first : std::strtoull(seeds.c_str() + dash + 1, nullptr, 10);
  if (prints) {
    for (std::uint64_t seed = first; seed <= last; ++seed)
      std::fputs(sourceOf(seed, randomProgram(seed)).c_str(), stdout);
    return 0;
  }
  Driver driver;
  int differing = 0;
  for (std::uint64_t seed = first; seed <= last; seed += kProgramsAtOnce) {
    std::vector<Block> bodies;
    for (std::uint64_t each = seed; each <= std::min(seed + kProgramsAtOnce - 1, last); ++each)
      bodies.push_back(randomProgram(each));
    std::istringstream list(widths);
    for (std::string text; std::getline(list, text, ',');) {
      const unsigned width = unsigned(std::stoul(text));
      const int some = driver.compare(seed, bodies, width);
      differing += some;
      for (std::size_t i = 0; i < bodies.size() && some > 0 && reduces; ++i)
        if (driver.compare(seed + i, {bodies[i]}, width) > 0)
          std::fputs(sourceOf(seed + i, reduced(driver, seed + i, bodies[i], width)).c_str(), stdout);
    }
  }
  std::printf("%llu programs, %d differences from the model\n", static_cast<unsigned long long>(last - first + 1),
              differing);
  if (!driver.ranAsAsked()) std::printf("most programs did not run with sub-groups of the size that was asked for\n");
  return differing == 0 && driver.ranAsAsked() ? 0 : 1;
}

} // namespace
} // namespace clotho::fuzz::sub_groups

int main(int argc, char** argv) {
  std::string seeds = "0-99", widths = "1,4,8,16,32,64";
  bool prints = false, reduces = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--print")
      prints = true;
    else if (argument == "--reduce")
      reduces = true;
    else if (argument == "--widths" && i + 1 < argc)
      widths = argv[++i];
    else
      seeds = argument;
  }
  try {
    return clotho::fuzz::sub_groups::run(seeds, widths, prints, reduces);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
