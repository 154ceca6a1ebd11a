// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/kernel_facts.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Metadata.h>

namespace clotho::compiler {
namespace {

constexpr const char* kName = "clotho.facts";

// The structured binding must name all members, so a missing one is a compile-time error.

template <class Facts, class Visit> void visitRange(Facts& facts, Visit&& visit) {
  auto& [kernel, variants, localBytes, frameBytesPerItem, privateBytes, subGroupStackBytes, interleavedState,
         usesBarrier, usesPrintf, usesGroupIds] = facts;
  visit("kernel", kernel);
  visit("variants", variants);
  visit("local-bytes", localBytes);
  visit("frame-bytes-per-item", frameBytesPerItem);
  visit("private-bytes", privateBytes);
  visit("sub-group-stack", subGroupStackBytes);
  visit("interleaved-state", interleavedState);
  visit("uses-barrier", usesBarrier);
  visit("uses-printf", usesPrintf);
  visit("uses-group-ids", usesGroupIds);
}

/// Visits all facts but `range`.
template <class Facts, class Visit> void visitKernel(Facts& facts, Visit&& visit) {
  auto& [variant, flushesDenormals, needsNoProgress, usesSubGroups, mergedRow, isStackable, outputs, changed,
         nonTemporalUnits, checks, laneDimension, shape, rowLength, wantsLocalSize, wantedValues, countsRows,
         areRowsWhole, width, subGroupSize, rows, mayChangeWidth, mayOnlyWiden, widthToTry, assumes, lacksExact,
         lacksFaster, directSize, isSeldomRun, isLinear, linearOf, localParameters, range] = facts;
  auto& [phases, granule, written] = checks;
  auto& [largestMemory, idsFit, argumentsApart, counters, counterBits, rowMultiple] = assumes;
  visit("variant", variant);
  visit("flush-denormals", flushesDenormals);
  visit("no-forward-progress", needsNoProgress);
  visit("sub-groups", usesSubGroups);
  visit("merged-row", mergedRow);
  visit("stackable", isStackable);
  visit("outputs", outputs);
  visit("changed", changed);
  visit("non_temporal_units", nonTemporalUnits);
  visit("check-phases", phases);
  visit("check-granule", granule);
  visit("check-written", written);
  visit("lane-dimension", laneDimension);
  visit("shape", shape);
  visit("row-argument", rowLength.argument);
  visit("row-length", rowLength.constant);
  visit("wants-local-size", wantsLocalSize);
  visit("wanted-values", wantedValues);
  visit("counts-rows", countsRows);
  visit("whole-rows", areRowsWhole);
  visit("width", width);
  visit("sub-group-size", subGroupSize);
  visit("rows", rows);
  visit("may-change-width", mayChangeWidth);
  visit("may-only-widen", mayOnlyWiden);
  visit("width-to-try", widthToTry);
  visit("largest-memory", largestMemory);
  visit("ids-fit", idsFit);
  visit("arguments-apart", argumentsApart);
  visit("counters", counters);
  visit("counter-bits", counterBits);
  visit("row-multiple", rowMultiple);
  visit("lacks-exact", lacksExact);
  visit("lacks-faster", lacksFaster);
  visit("direct-size", directSize);
  visit("seldom", isSeldomRun);
  visit("linear", isLinear);
  visit("linear-of", linearOf);
  visit("local-parameters", localParameters);
}

llvm::Metadata* number(llvm::LLVMContext& context, unsigned bits, std::uint64_t value) {
  return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getIntNTy(context, bits), value));
}

// Metadata nodes are uniqued, so equal values are the same node.

llvm::Metadata* encode(llvm::LLVMContext& context, bool value) { return number(context, 1, value ? 1 : 0); }
llvm::Metadata* encode(llvm::LLVMContext& context, std::uint32_t value) { return number(context, 32, value); }
llvm::Metadata* encode(llvm::LLVMContext& context, std::uint64_t value) { return number(context, 64, value); }
llvm::Metadata* encode(llvm::LLVMContext& context, const std::string& value) {
  return llvm::MDString::get(context, value);
}
llvm::Metadata* encode(llvm::LLVMContext& context, Variant value) {
  return llvm::MDString::get(context, infoOf(value).name);
}
llvm::Metadata* encode(llvm::LLVMContext& context, const LocalSize& value) {
  return llvm::MDString::get(
      context, llvm::join(llvm::map_range(value, [](std::uint64_t each) { return std::to_string(each); }), "x"));
}
llvm::Metadata* encode(llvm::LLVMContext& context, const std::vector<Variant>& value) {
  return llvm::MDString::get(
      context, llvm::join(llvm::map_range(value, [](Variant each) { return infoOf(each).name.str(); }), ", "));
}
template <class Value> llvm::Metadata* encode(llvm::LLVMContext& context, const std::optional<Value>& value) {
  return value ? encode(context, *value) : nullptr;
}

// Ignores metadata of another type, which a program's own module may contain.

template <class Number> void decode(const llvm::Metadata& from, Number& value) {
  if (const auto* constant = llvm::mdconst::dyn_extract<llvm::ConstantInt>(&from);
      constant != nullptr && constant->getValue().isIntN(8 * sizeof(Number)))
    value = static_cast<Number>(constant->getZExtValue());
}
void decode(const llvm::Metadata& from, std::string& value) {
  if (const auto* text = llvm::dyn_cast<llvm::MDString>(&from)) value = text->getString().str();
}
void decode(const llvm::Metadata& from, Variant& value) {
  if (const auto* text = llvm::dyn_cast<llvm::MDString>(&from))
    value = variantNamed(text->getString()).value_or(Variant::Original);
}
void decode(const llvm::Metadata& from, LocalSize& value) {
  std::string text;
  decode(from, text);
  llvm::StringRef rest = text;
  for (std::uint64_t& each : value) {
    rest.consumeInteger(10, each);
    rest.consume_front("x");
  }
}
void decode(const llvm::Metadata& from, std::vector<Variant>& value) {
  std::string text;
  decode(from, text);
  for (const llvm::StringRef name : llvm::split(text, ", "))
    if (const auto variant = variantNamed(name)) value.push_back(*variant);
}
template <class Value> void decode(const llvm::Metadata& from, std::optional<Value>& value) {
  decode(from, value.emplace());
}

using Pair = std::pair<const char*, llvm::Metadata*>;

llvm::SmallVector<Pair, 18> encodeKernel(llvm::LLVMContext& context, const KernelFacts& facts) {
  llvm::SmallVector<Pair, 18> pairs;
  visitKernel(facts, [&](const char* key, const auto& value) { pairs.emplace_back(key, encode(context, value)); });
  return pairs;
}

} // namespace

KernelFacts factsOf(const llvm::Function& function) {
  KernelFacts facts;
  const llvm::MDNode* node = function.getMetadata(kName);
  if (node == nullptr) return facts;
  for (unsigned i = 0; i + 1 < node->getNumOperands(); i += 2) {
    const auto* key = llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(i).get());
    const llvm::Metadata* from = node->getOperand(i + 1).get();
    if (key == nullptr || from == nullptr) continue;
    const auto read = [&](const char* name, auto& value) {
      if (key->getString() == name) decode(*from, value);
    };
    visitKernel(facts, read);
    // Key "kernel" begins the facts of a range.
    if (key->getString() == "kernel") facts.range.emplace();
    if (facts.range) visitRange(*facts.range, read);
  }
  return facts;
}

void setFacts(llvm::Function& function, const KernelFacts& facts) {
  llvm::LLVMContext& context = function.getContext();
  llvm::SmallVector<llvm::Metadata*, 32> operands;
  const auto write = [&](const char* key, llvm::Metadata* value) {
    operands.push_back(llvm::MDString::get(context, key));
    operands.push_back(value);
  };
  for (const auto& [pair, atFirst] : llvm::zip_equal(encodeKernel(context, facts), encodeKernel(context, {})))
    if (pair.second != atFirst.second) write(pair.first, pair.second);
  if (facts.range)
    visitRange(*facts.range, [&](const char* key, const auto& value) { write(key, encode(context, value)); });
  function.setMetadata(kName, operands.empty() ? nullptr : llvm::MDNode::get(context, operands));
}

std::string reasonFor(Variant variant, const KernelFacts& facts) {
  llvm::SmallVector<std::string, 2> details;
  if (variant == Variant::Exact && facts.assumes.largestMemory != kAnyMemory)
    details.push_back("no buffer has more than " + std::to_string(facts.assumes.largestMemory) + " bytes");
  if (variant == Variant::Exact && facts.assumes.idsFit) details.emplace_back("global ids fit into an int");
  if (variant == Variant::Exact && facts.assumes.argumentsApart) details.emplace_back("arguments share no memory");
  if (variant == Variant::Exact && facts.assumes.counters)
    details.push_back("argument " + std::to_string(*facts.assumes.counters) +
                      " is small enough for each thread to count in");
  if (variant == Variant::Exact && facts.assumes.rowMultiple != 0)
    details.push_back("several rows have multiples of " + std::to_string(facts.assumes.rowMultiple) + " work-items");
  if (variant == Variant::Direct && facts.directSize)
    details.push_back(std::to_string((*facts.directSize)[0]) + " x " + std::to_string((*facts.directSize)[1]));
  if (variant == Variant::Rows) details.push_back(std::to_string(facts.rows) + " rows");
  return infoOf(variant).serves.str() + (details.empty() ? "" : ": ") + llvm::join(details, ", ");
}

} // namespace clotho::compiler
