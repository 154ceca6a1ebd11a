// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_kernel.hpp"

#include "compiler/ir/intrinsics.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Support/raw_ostream.h>

#include <cstring>
#include <functional>

namespace clotho::compiler {
namespace {

using Kind = RandomExpression::Kind;
using Predicate = llvm::CmpInst::Predicate;

constexpr unsigned kFirstNumber = 2, kNumbers = 4; ///< arguments that are integers
constexpr std::uint64_t kArgumentBytes = 8;

unsigned bitsOfArgument(unsigned number) { return number < kFirstNumber + 2 ? 32 : 64; }
bool isOfOne(Kind kind) { return kind >= Kind::Truncate && kind < Kind::Add; }

std::int64_t signedOf(std::uint64_t value, unsigned bits) {
  return bits == 32 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
}
std::uint64_t unsignedOf(std::uint64_t value, unsigned bits) { return bits == 32 ? value & 0xffff'ffff : value; }

/// A work-item that runs.
struct Item {
  const FootprintBox& box;
  std::array<std::uint64_t, 3> group, local, localSize;
  std::map<unsigned, std::uint64_t> counters{};
  bool isUndefined = false;
  unsigned steps = 0;

  std::uint64_t argument(unsigned number) const {
    std::uint64_t value = 0;
    std::memcpy(&value, box.args.data() + box.argumentOffsets[number], kArgumentBytes);
    return unsignedOf(value, bitsOfArgument(number));
  }

  std::uint64_t id(const RandomExpression& expression) const {
    const unsigned d = expression.number;
    switch (expression.kind) {
    case Kind::GlobalId: return box.offset[d] + group[d] * box.local[d] + local[d];
    case Kind::LocalId: return local[d];
    case Kind::GroupId: return group[d];
    case Kind::GroupBase: return box.offset[d] + group[d] * box.local[d];
    case Kind::LocalSize: return localSize[d];
    case Kind::GlobalSize: return box.global[d];
    case Kind::NumGroups: return (box.global[d] + box.local[d] - 1) / box.local[d];
    default: return box.offset[d];
    }
  }

  std::uint64_t arithmetic(const RandomExpression& e, std::uint64_t a, std::uint64_t b) {
    const std::int64_t x = signedOf(a, e.bits), y = signedOf(b, e.bits);
    const std::uint64_t ua = unsignedOf(a, e.bits), ub = unsignedOf(b, e.bits);
    std::int64_t result = 0;
    bool overflows = false;
    switch (e.kind) {
    case Kind::Add: overflows = __builtin_add_overflow(x, y, &result); break;
    case Kind::Subtract: overflows = __builtin_sub_overflow(x, y, &result); break;
    case Kind::Multiply: overflows = __builtin_mul_overflow(x, y, &result); break;
    case Kind::DivideUnsigned:
    case Kind::RemainderUnsigned:
      isUndefined = isUndefined || ub == 0;
      return ub == 0 ? 0 : e.kind == Kind::DivideUnsigned ? ua / ub : ua % ub;
    case Kind::MostSigned: return static_cast<std::uint64_t>(std::max(x, y));
    case Kind::LeastSigned: return static_cast<std::uint64_t>(std::min(x, y));
    case Kind::MostUnsigned: return std::max(ua, ub);
    case Kind::LeastUnsigned: return std::min(ua, ub);
    default: return ua & ub;
    }
    overflows = overflows || (e.bits == 32 && result != static_cast<std::int32_t>(result));
    isUndefined = isUndefined || (e.isExact && overflows);
    return e.kind == Kind::Add ? a + b : e.kind == Kind::Subtract ? a - b : a * b;
  }

  std::uint64_t value(const RandomExpression& e) {
    if (e.kind == Kind::Constant) return unsignedOf(static_cast<std::uint64_t>(e.constant), e.bits);
    if (e.kind == Kind::Argument) return argument(e.number);
    if (e.kind == Kind::Counter) return unsignedOf(counters[e.number], e.bits);
    if (e.kind < Kind::Truncate) return id(e);
    const std::uint64_t a = value(*e.left);
    if (e.kind == Kind::Truncate || e.kind == Kind::ZeroExtend) return unsignedOf(a, 32);
    if (e.kind == Kind::SignExtend) return static_cast<std::uint64_t>(signedOf(a, 32));
    return unsignedOf(arithmetic(e, a, value(*e.right)), e.bits);
  }

  bool compare(unsigned predicate, std::uint64_t a, std::uint64_t b, unsigned bits) const {
    return llvm::ICmpInst::compare(llvm::APInt(bits, a), llvm::APInt(bits, b), static_cast<Predicate>(predicate));
  }

  void run(const std::vector<RandomStatement>& body, TouchedBytes& touched) {
    constexpr unsigned kMostSteps = 4000;
    for (const RandomStatement& each : body) {
      if (isUndefined || ++steps > kMostSteps) {
        isUndefined = true;
        return;
      }
      if (each.kind == RandomStatement::Kind::Access) {
        const std::uint64_t offset = value(*each.value);
        if (!isUndefined)
          touched.of[{each.buffer, each.isWrite}].emplace(static_cast<std::int64_t>(offset), each.bytes);
      } else if (each.kind == RandomStatement::Kind::Guard) {
        const std::uint64_t a = value(*each.value), b = value(*each.bound);
        if (!isUndefined && compare(each.predicate, a, b, each.value->bits)) run(each.inner, touched);
      } else {
        const unsigned bits = each.value->bits;
        for (std::uint64_t at = value(*each.value); !isUndefined;
             at = unsignedOf(at + static_cast<std::uint64_t>(each.step), bits)) {
          counters[each.counter] = at;
          if (!compare(each.predicate, at, value(*each.bound), bits) || isUndefined) break;
          run(each.inner, touched);
          if (++steps > kMostSteps) isUndefined = true;
        }
      }
    }
  }
};

/// Writes a kernel as IR.
class Writer {
 public:
  Writer(llvm::Function& function, llvm::IRBuilder<>& builder) : function_(function), builder_(builder) {}

  llvm::Value* value(const RandomExpression& e) {
    llvm::Type* type = builder_.getIntNTy(e.bits);
    if (e.kind == Kind::Constant)
      return llvm::ConstantInt::get(type, static_cast<std::uint64_t>(e.constant), true, true);
    if (e.kind == Kind::Argument) return function_.getArg(e.number);
    if (e.kind == Kind::Counter) return counters_.at(e.number);
    if (e.kind < Kind::Truncate) return createIntrinsic(builder_, intrinsicOf(e.kind), e.number);
    llvm::Value* a = value(*e.left);
    if (isOfOne(e.kind))
      return e.kind == Kind::Truncate     ? builder_.CreateTrunc(a, type)
             : e.kind == Kind::SignExtend ? builder_.CreateSExt(a, type)
                                          : builder_.CreateZExt(a, type);
    llvm::Value* b = value(*e.right);
    switch (e.kind) {
    case Kind::Add: return builder_.CreateAdd(a, b, "", false, e.isExact);
    case Kind::Subtract: return builder_.CreateSub(a, b, "", false, e.isExact);
    case Kind::Multiply: return builder_.CreateMul(a, b, "", false, e.isExact);
    case Kind::DivideUnsigned: return builder_.CreateUDiv(a, b);
    case Kind::RemainderUnsigned: return builder_.CreateURem(a, b);
    case Kind::MostSigned: return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
    case Kind::LeastSigned: return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
    case Kind::MostUnsigned: return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, a, b);
    case Kind::LeastUnsigned: return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b);
    default: return builder_.CreateAnd(a, b);
    }
  }

  void write(const std::vector<RandomStatement>& body) {
    for (const RandomStatement& each : body) {
      switch (each.kind) {
      case RandomStatement::Kind::Access: writeAccess(each); break;
      case RandomStatement::Kind::Guard: writeGuard(each); break;
      case RandomStatement::Kind::Loop: writeLoop(each); break;
      }
    }
  }

 private:
  static Intrinsic intrinsicOf(Kind kind) {
    switch (kind) {
    case Kind::GlobalId: return Intrinsic::GlobalId;
    case Kind::LocalId: return Intrinsic::LocalId;
    case Kind::GroupId: return Intrinsic::GroupId;
    case Kind::GroupBase: return Intrinsic::GroupBase;
    case Kind::LocalSize: return Intrinsic::LocalSize;
    case Kind::GlobalSize: return Intrinsic::GlobalSize;
    case Kind::NumGroups: return Intrinsic::NumGroups;
    default: return Intrinsic::GlobalOffset;
    }
  }

  llvm::BasicBlock* block() { return llvm::BasicBlock::Create(builder_.getContext(), "", &function_); }

  void writeAccess(const RandomStatement& access) {
    llvm::Value* address =
        builder_.CreateGEP(builder_.getInt8Ty(), function_.getArg(access.buffer), value(*access.value));
    llvm::Type* type = builder_.getIntNTy(access.bytes * 8);
    if (access.isWrite)
      builder_.CreateAlignedStore(llvm::ConstantInt::get(type, 1), address, llvm::Align(1));
    else // which no pass may remove
      builder_.CreateAlignedStore(builder_.CreateAlignedLoad(type, address, llvm::Align(1)),
                                  function_.getArg(kFirstNumber + kNumbers), llvm::Align(1));
  }

  void writeGuard(const RandomStatement& guard) {
    llvm::Value* a = value(*guard.value);
    llvm::Value* condition = builder_.CreateICmp(static_cast<Predicate>(guard.predicate), a, value(*guard.bound));
    llvm::BasicBlock *inner = block(), *after = block();
    builder_.CreateCondBr(condition, inner, after);
    builder_.SetInsertPoint(inner);
    write(guard.inner);
    builder_.CreateBr(after);
    builder_.SetInsertPoint(after);
  }

  void writeLoop(const RandomStatement& loop) {
    llvm::Value* begin = value(*loop.value);
    llvm::BasicBlock *before = builder_.GetInsertBlock(), *header = block(), *inner = block(), *after = block();
    builder_.CreateBr(header);
    builder_.SetInsertPoint(header);
    llvm::PHINode* counter = builder_.CreatePHI(begin->getType(), 2);
    counter->addIncoming(begin, before);
    counters_[loop.counter] = counter;
    builder_.CreateCondBr(builder_.CreateICmp(static_cast<Predicate>(loop.predicate), counter, value(*loop.bound)),
                          inner, after);
    builder_.SetInsertPoint(inner);
    write(loop.inner);
    counter->addIncoming(
        builder_.CreateAdd(counter,
                           llvm::ConstantInt::get(begin->getType(), static_cast<std::uint64_t>(loop.step), true, true)),
        builder_.GetInsertBlock());
    builder_.CreateBr(header);
    builder_.SetInsertPoint(after);
  }

  llvm::Function& function_;
  llvm::IRBuilder<>& builder_;
  std::map<unsigned, llvm::Value*> counters_;
};

} // namespace

RandomKernel::RandomKernel(unsigned seed) : random_(seed) { body_ = statements(0); }

std::unique_ptr<RandomExpression> RandomKernel::expression(unsigned bits, unsigned depth) {
  auto result = std::make_unique<RandomExpression>();
  RandomExpression& e = *result;
  e.bits = bits;
  if (depth == 0 || oneIn(4)) {
    switch (below(8)) {
    case 0: e.constant = static_cast<std::int64_t>(below(9)) - (oneIn(3) ? 4 : 0); return result;
    case 1:
    case 2:
      e.kind = Kind::Argument;
      e.number = kFirstNumber + (bits == 32 ? 0 : 2) + below(2);
      return result;
    case 3:
      if (openCounters_.empty()) break;
      e.number = openCounters_[below(static_cast<unsigned>(openCounters_.size()))];
      e.kind = Kind::Counter;
      // Loops with an even number count in 32 bits.
      if ((e.number % 2 == 0) == (bits == 32)) return result;
      break;
    default: break;
    }
    auto id = std::make_unique<RandomExpression>();
    constexpr Kind kIds[] = {Kind::GlobalId,  Kind::GlobalId,  Kind::GlobalId,   Kind::LocalId,   Kind::GroupId,
                             Kind::GroupBase, Kind::LocalSize, Kind::GlobalSize, Kind::NumGroups, Kind::GlobalOffset};
    id->kind = kIds[below(std::size(kIds))];
    id->number = below(2);
    if (bits == 64) return id;
    e.kind = Kind::Truncate;
    e.left = std::move(id);
    return result;
  }
  if (bits == 64 && oneIn(3)) {
    e.kind = oneIn(2) ? Kind::SignExtend : Kind::ZeroExtend;
    e.left = expression(32, depth - 1);
    return result;
  }
  constexpr Kind kKinds[] = {Kind::Add,
                             Kind::Add,
                             Kind::Add,
                             Kind::Subtract,
                             Kind::Multiply,
                             Kind::Multiply,
                             Kind::MostSigned,
                             Kind::LeastSigned,
                             Kind::MostUnsigned,
                             Kind::LeastUnsigned,
                             Kind::DivideUnsigned,
                             Kind::RemainderUnsigned,
                             Kind::And};
  e.kind = kKinds[below(std::size(kKinds))];
  e.isExact = oneIn(3);
  e.left = expression(bits, depth - 1);
  e.right = expression(bits, depth - 1);
  const bool takesConstant = e.kind == Kind::DivideUnsigned || e.kind == Kind::RemainderUnsigned || e.kind == Kind::And;
  if (takesConstant && !oneIn(4)) {
    e.right = std::make_unique<RandomExpression>();
    e.right->bits = bits;
    e.right->constant = 1 + below(12);
  }
  return result;
}

/// An offset in bytes, of an element that has an index.
std::unique_ptr<RandomExpression> RandomKernel::offset() {
  auto scale = std::make_unique<RandomExpression>();
  scale->constant = std::int64_t{1} << below(4);
  auto result = std::make_unique<RandomExpression>();
  result->kind = Kind::Multiply;
  result->left = expression(64, 1 + below(4));
  result->right = std::move(scale);
  return result;
}

std::vector<RandomStatement> RandomKernel::statements(unsigned depth) {
  constexpr unsigned kPredicates[] = {
      Predicate::ICMP_SLT, Predicate::ICMP_ULT, Predicate::ICMP_SLE, Predicate::ICMP_ULE, Predicate::ICMP_SGT,
      Predicate::ICMP_UGT, Predicate::ICMP_SGE, Predicate::ICMP_UGE, Predicate::ICMP_EQ,  Predicate::ICMP_NE};
  std::vector<RandomStatement> result;
  for (unsigned i = 0, count = 1 + below(2); i < count; ++i) {
    RandomStatement& each = result.emplace_back();
    const unsigned sort = depth < 3 ? below(4) : 0;
    if (sort < 2) {
      each.buffer = below(2);
      each.isWrite = oneIn(2);
      each.bytes = 1U << below(4);
      each.value = offset();
    } else if (sort == 2) {
      const unsigned bits = oneIn(2) ? 32 : 64;
      each.kind = RandomStatement::Kind::Guard;
      each.predicate = kPredicates[below(std::size(kPredicates))];
      each.value = expression(bits, below(3));
      each.bound = expression(bits, below(2));
      each.inner = statements(depth + 1);
    } else {
      each.kind = RandomStatement::Kind::Loop;
      each.counter = counters_++;
      const unsigned bits = each.counter % 2 == 0 ? 32 : 64;
      each.predicate = kPredicates[below(oneIn(4) ? std::size(kPredicates) : 4)];
      each.value = expression(bits, below(2));
      each.bound = expression(bits, below(2));
      each.step = oneIn(5) ? -1 : 1 + below(3);
      openCounters_.push_back(each.counter);
      each.inner = statements(depth + 1);
      openCounters_.pop_back();
    }
  }
  return result;
}

std::unique_ptr<llvm::Module> RandomKernel::module(llvm::LLVMContext& context) const {
  auto module = std::make_unique<llvm::Module>("test", context);
  module->setDataLayout("e-i64:64-v16:16-v24:32-v32:32-G1");
  llvm::IRBuilder<> builder(context);
  llvm::Type *buffer = builder.getPtrTy(1), *number = builder.getInt32Ty(), *large = builder.getInt64Ty();
  auto* type = llvm::FunctionType::get(builder.getVoidTy(),
                                       {buffer, buffer, number, number, large, large, builder.getPtrTy(3)}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", *module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  Writer(*function, builder).write(body_);
  builder.CreateRetVoid();
  return module;
}

std::string RandomKernel::text() const {
  llvm::LLVMContext context;
  std::string result;
  llvm::raw_string_ostream(result) << *module(context);
  return result;
}

FootprintBox RandomKernel::randomBox(std::vector<std::byte>& block) {
  FootprintBox box;
  for (unsigned i = 0; i < 2; ++i) {
    box.offset[i] = oneIn(2) ? 0 : below(7);
    box.global[i] = 1 + below(i == 0 ? 24 : 9);
    box.local[i] = 1 + below(5);
    const auto groups = static_cast<unsigned>((box.global[i] + box.local[i] - 1) / box.local[i]);
    box.first[i] = below(groups);
    box.end[i] = box.first[i] + 1 + below(groups - static_cast<unsigned>(box.first[i]));
  }
  block.assign(kArgumentBytes * (kFirstNumber + kNumbers + 1), std::byte{0});
  for (unsigned i = 0; i <= kFirstNumber + kNumbers; ++i)
    box.argumentOffsets.push_back(static_cast<std::uint32_t>(kArgumentBytes * i));
  for (unsigned i = kFirstNumber; i < kFirstNumber + kNumbers; ++i) {
    std::uint64_t value = below(20);
    if (oneIn(8)) value = static_cast<std::uint64_t>(-static_cast<std::int64_t>(below(9)));
    if (oneIn(16)) value = (oneIn(2) ? 0x8000'0000U : 0x7fff'fff0U) + below(16);
    if (oneIn(32)) value = (std::uint64_t{1} << 63) - below(8);
    std::memcpy(block.data() + kArgumentBytes * i, &value, sizeof value);
  }
  box.args = block;
  return box;
}

std::optional<TouchedBytes> RandomKernel::run(const FootprintBox& box) const {
  TouchedBytes touched;
  std::array<std::uint64_t, 3> group{}, local{};
  for (group[1] = box.first[1]; group[1] < box.end[1]; ++group[1])
    for (group[0] = box.first[0]; group[0] < box.end[0]; ++group[0]) {
      std::array<std::uint64_t, 3> size{1, 1, 1};
      for (unsigned i = 0; i < 2; ++i)
        size[i] = std::min(box.local[i], box.global[i] - group[i] * box.local[i]);
      for (local[1] = 0; local[1] < size[1]; ++local[1])
        for (local[0] = 0; local[0] < size[0]; ++local[0]) {
          Item item{box, group, local, size};
          item.run(body_, touched);
          if (item.isUndefined) return std::nullopt;
        }
    }
  return touched;
}

} // namespace clotho::compiler
