// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/spirv/function_order.hpp"

#include "base/spirv.hpp"
#include "compiler/frontend/spirv/opcodes.hpp"

#include <spirv/unified1/spirv.hpp>

#include <algorithm>
#include <unordered_map>

namespace clotho::compiler::spirv {
namespace {

using Words = std::span<const std::uint32_t>;

bool endsBlock(std::uint32_t opcode) {
  switch (opcode) {
  case spv::OpBranch:
  case spv::OpBranchConditional:
  case spv::OpSwitch:
  case spv::OpReturn:
  case spv::OpReturnValue:
  case spv::OpKill:
  case later::OpAbortKHR:
  case spv::OpUnreachable: return true;
  default: return false;
  }
}

struct Block {
  std::vector<std::uint32_t> words; ///< its instructions, and the lines that stand before its label
  std::vector<std::uint32_t> end;   ///< the instruction that ends it
};

/// Number of words of each literal in a switch, by the id of the selector: as many as its type has. Ids that are not in
/// the map take one word.
using LiteralWords = std::unordered_map<std::uint32_t, std::size_t>;

LiteralWords literalWordsOf(Words module) {
  std::unordered_map<std::uint32_t, std::size_t> types; // of integers of more than one word
  LiteralWords selectors;
  clotho::spirv::forEachInstruction(module, [&](std::uint32_t opcode, Words words) {
    if (opcode == spv::OpTypeInt && words.size() == 4 && words[2] > 32)
      types.emplace(words[1], words[2] / 32 + (words[2] % 32 != 0 ? 1 : 0));
    if (opcode == spv::OpSwitch && words.size() >= 2) selectors.emplace(words[1], 1);
  });
  if (types.empty() || selectors.empty()) return {};
  clotho::spirv::forEachInstruction(module, [&](std::uint32_t opcode, Words words) {
    const auto [hasResult, hasType] = resultsOf(opcode);
    if (!hasResult || !hasType || words.size() < 3) return;
    const auto selector = selectors.find(words[2]);
    const auto type = types.find(words[1]);
    if (selector != selectors.end() && type != types.end()) selector->second = type->second;
  });
  return selectors;
}

/// The blocks of one function.
class Blocks {
 public:
  explicit Blocks(const LiteralWords& literalWords) : literalWords_(&literalWords) {}

  void add(std::uint32_t opcode, Words words) {
    if (isNew_) blocks_.emplace_back();
    isNew_ = endsBlock(opcode);
    Block& block = blocks_.back();
    if (isLateVariable(opcode, words)) {
      variables_.insert(variables_.end(), words.begin(), words.end());
      return;
    }
    block.words.insert(block.words.end(), words.begin(), words.end());
    if (opcode == spv::OpLabel && blocks_.size() == 1) begin_ = block.words.size();
    if (isNew_) block.end.assign(words.begin(), words.end());
    if (opcode == spv::OpLabel && words.size() == 2) blockOf_.emplace(words[1], blocks_.size() - 1);
  }

  void appendTo(std::vector<std::uint32_t>& module) {
    if (blocks_.empty()) return;
    std::vector<std::uint32_t>& entry = blocks_[0].words;
    entry.insert(entry.begin() + static_cast<std::ptrdiff_t>(begin_), variables_.begin(), variables_.end());
    for (const std::size_t at : order())
      module.insert(module.end(), blocks_[at].words.begin(), blocks_[at].words.end());
  }

 private:
  /// Whether this is a variable after other instructions. Variables with an initialiser, which are set each time that
  /// control passes, cannot be moved.
  bool isLateVariable(std::uint32_t opcode, Words words) {
    switch (opcode) {
    case spv::OpVariable: return !areOnlyVariables_ && words.size() == 4;
    case spv::OpLabel: areOnlyVariables_ = blocks_.size() == 1; break;
    case spv::OpLine:
    case spv::OpNoLine: break;
    default: areOnlyVariables_ = false;
    }
    return false;
  }

  /// Successors of a block. Branches to undefined labels are left to the validator.
  std::vector<std::size_t> successors(std::size_t at) const {
    const std::vector<std::uint32_t>& end = blocks_[at].end;
    std::vector<std::size_t> found;
    const auto follow = [&](std::uint32_t label) {
      if (const auto block = blockOf_.find(label); block != blockOf_.end()) found.push_back(block->second);
    };
    switch (end.empty() ? 0 : end[0] & spv::OpCodeMask) {
    case spv::OpBranch:
      if (end.size() >= 2) follow(end[1]);
      break;
    case spv::OpBranchConditional:
      for (std::size_t word = 2; word < std::min<std::size_t>(end.size(), 4); ++word)
        follow(end[word]);
      break;
    case spv::OpSwitch: {
      const auto literal = end.size() >= 2 ? literalWords_->find(end[1]) : literalWords_->end();
      const std::size_t step = (literal == literalWords_->end() ? 1 : literal->second) + 1;
      for (std::size_t word = 2; word < end.size(); word += step)
        follow(end[word]);
      break;
    }
    default: break;
    }
    return found;
  }

  std::vector<std::size_t> order() const {
    std::vector<std::vector<std::size_t>> next(blocks_.size());
    for (std::size_t at = 0; at < blocks_.size(); ++at)
      next[at] = successors(at);
    const std::vector<std::size_t> reached = reversePostOrder(next);
    if (isInOrder(next, reached)) {
      std::vector<std::size_t> asTheyAre(blocks_.size());
      for (std::size_t at = 0; at < asTheyAre.size(); ++at)
        asTheyAre[at] = at;
      return asTheyAre;
    }
    std::vector<std::size_t> all = reached;
    std::vector<bool> isReached(blocks_.size());
    for (const std::size_t at : reached)
      isReached[at] = true;
    for (std::size_t at = 0; at < blocks_.size(); ++at)
      if (!isReached[at]) all.push_back(at);
    return all;
  }

  /// Whether blocks are in order. The first block that comes before its dominator also comes before all its
  /// predecessors.
  static bool isInOrder(const std::vector<std::vector<std::size_t>>& next, const std::vector<std::size_t>& reached) {
    std::vector<bool> follows(next.size());
    for (const std::size_t from : reached)
      for (const std::size_t to : next[from])
        if (from < to) follows[to] = true;
    return std::ranges::all_of(reached, [&](std::size_t at) { return at == 0 || follows[at]; });
  }

  static std::vector<std::size_t> reversePostOrder(const std::vector<std::vector<std::size_t>>& next) {
    struct Visit {
      std::size_t block, followed;
    };
    std::vector<std::size_t> order;
    if (next.empty()) return order;
    std::vector<bool> seen(next.size());
    std::vector<Visit> path{{0, 0}};
    seen[0] = true;
    while (!path.empty()) {
      Visit& visit = path.back();
      const std::vector<std::size_t>& to = next[visit.block];
      if (visit.followed == to.size()) {
        order.push_back(visit.block);
        path.pop_back();
        continue;
      }
      // Visits the last successor first, since the order is reversed.
      const std::size_t followed = to[to.size() - ++visit.followed];
      if (seen[followed]) continue;
      seen[followed] = true;
      path.push_back({followed, 0});
    }
    std::ranges::reverse(order);
    return order;
  }

  const LiteralWords* literalWords_;
  std::vector<Block> blocks_;
  std::unordered_map<std::uint32_t, std::size_t> blockOf_; ///< Index in `blocks_` of the block with this label
  /// Words of the variables that have to move to the beginning.
  std::vector<std::uint32_t> variables_;
  std::size_t begin_ = 0; ///< Index in the first block's words, behind the label
  bool areOnlyVariables_ = true;
  bool isNew_ = true;
};

} // namespace

std::vector<std::uint32_t> withFunctionsInOrder(std::span<const std::uint32_t> module) {
  std::vector<std::uint32_t> ordered(module.begin(), module.begin() + clotho::spirv::kHeaderWords);
  ordered.reserve(module.size());
  const LiteralWords literalWords = literalWordsOf(module);
  Blocks blocks(literalWords);
  bool isInBlocks = false;
  clotho::spirv::forEachInstruction(module, [&](std::uint32_t opcode, Words words) {
    if (opcode == spv::OpLabel) isInBlocks = true;
    if (opcode == spv::OpFunctionEnd || opcode == spv::OpFunction) {
      blocks.appendTo(ordered);
      blocks = Blocks(literalWords);
      isInBlocks = false;
    }
    if (isInBlocks)
      blocks.add(opcode, words);
    else
      ordered.insert(ordered.end(), words.begin(), words.end());
  });
  blocks.appendTo(ordered);
  return ordered;
}

} // namespace clotho::compiler::spirv
