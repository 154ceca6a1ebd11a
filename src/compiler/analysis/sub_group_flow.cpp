// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/sub_group_flow.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>

namespace clotho::compiler {

using llvm::BasicBlock;
using llvm::Loop;

/// The blocks directly in a loop (or in none) and its inner loops, each as one node: an acyclic graph.
struct SubGroupFlow::Level {
  struct Node {
    Node(BasicBlock* first, const Loop* inner) : block(first), loop(inner) {}

    BasicBlock* block;      ///< the block itself, or the header of the loop
    const Loop* loop;       ///< null for a block
    bool divergent = false; ///< lanes may leave the node to different blocks, or in different iterations
    bool leaves = false;    ///< control may leave the level here, other than by a back edge
    llvm::SmallVector<unsigned, 4> successors;
    llvm::SmallVector<unsigned, 4> predecessors;
    unsigned dominator = 0;
    llvm::BitVector reaches; ///< nodes that control may reach from here, without this one
    llvm::BitVector parted;  ///< nodes that only some of the lanes that diverge here may run
  };

  const Loop* loop;                                   ///< null for the function
  std::vector<Node> nodes;                            ///< Nodes in topological order; the first is the entry
  llvm::DenseMap<const BasicBlock*, unsigned> nodeOf; ///< blocks of inner loops have the node of their loop

  bool contains(const BasicBlock* block) const { return nodeOf.contains(block); }
  /// Whether lanes that were together at `since` may have diverged before `node`.
  bool mayHaveParted(unsigned node, unsigned since) const;
  void connect();
  void findDominators();
  void findReachable();
  void findParted();

 private:
  void sort(std::vector<Node>& found);
};

bool SubGroupFlow::Level::mayHaveParted(unsigned node, unsigned since) const {
  for (unsigned at = since; at < node; ++at) {
    if (!nodes[at].divergent || !nodes[at].parted[node]) continue;
    if (at == since || nodes[since].reaches[at]) return true;
  }
  return false;
}

namespace {

/// Number of nodes above which successors are visited in a chosen order. The order changes all generated code, so it is
/// used only for large functions.
constexpr std::size_t kMany = 1000;

/// The nodes in post-order of a depth-first search: each after its successors.
std::vector<unsigned> depthFirst(llvm::ArrayRef<llvm::SmallSetVector<unsigned, 4>> successors) {
  std::vector<char> seen(successors.size(), 0);
  std::vector<std::pair<unsigned, unsigned>> stack = {{0, 0}};
  std::vector<unsigned> finished;
  seen[0] = 1;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == successors[node].size()) {
      finished.push_back(node);
      stack.pop_back();
    } else if (const unsigned to = successors[node][next++]; !seen[to]) {
      seen[to] = 1;
      stack.emplace_back(to, 0);
    }
  }
  return finished;
}

} // namespace

/// Finds the edges and puts the nodes in topological order.
void SubGroupFlow::Level::connect() {
  const unsigned count = nodes.size();
  std::vector<llvm::SmallSetVector<unsigned, 4>> successors(count);
  const auto visit = [&](const BasicBlock* block) {
    const unsigned from = nodeOf.lookup(block);
    for (const BasicBlock* to : llvm::successors(block)) {
      if (!contains(to)) {
        nodes[from].leaves = true;
      } else if (const unsigned node = nodeOf.lookup(to); node != from && node != 0) { // 0: a back edge
        successors[from].insert(node);
      }
    }
  };
  for (const Node& node : nodes) {
    if (node.loop == nullptr) {
      visit(node.block);
    } else {
      for (const BasicBlock* block : node.loop->blocks())
        visit(block);
    }
  }
  std::vector<unsigned> finished = depthFirst(successors);
  if (count > kMany) {
    // Visits shorter paths first, so that their lanes need not wait for a long chain of conditions: with N conditions,
    // N masks would be live in up to N blocks.
    std::vector<unsigned> height(count, 0);
    for (const unsigned node : finished)
      for (const unsigned to : successors[node])
        height[node] = std::max(height[node], height[to] + 1);
    for (auto& next : successors) {
      llvm::SmallVector<unsigned, 4> ordered = next.takeVector();
      llvm::stable_sort(ordered, [&](unsigned a, unsigned b) { return height[a] > height[b]; });
      next.insert_range(ordered);
    }
    finished = depthFirst(successors);
  }
  // The order is the reverse of the one in which the search finishes nodes.
  std::vector<unsigned> position(count, 0);
  std::vector<Node> sorted;
  for (const unsigned node : llvm::reverse(finished)) {
    position[node] = sorted.size();
    sorted.push_back(std::move(nodes[node]));
  }
  for (const unsigned node : finished)
    for (const unsigned to : successors[node]) {
      sorted[position[node]].successors.push_back(position[to]);
      sorted[position[to]].predecessors.push_back(position[node]);
    }
  for (auto& entry : nodeOf)
    entry.second = position[entry.second];
  nodes = std::move(sorted);
}

void SubGroupFlow::Level::findDominators() {
  for (unsigned i = 1; i < nodes.size(); ++i) {
    unsigned common = nodes[i].predecessors.front();
    for (unsigned other : nodes[i].predecessors)
      while (common != other)
        (common > other ? common : other) = nodes[std::max(common, other)].dominator;
    nodes[i].dominator = common;
  }
}

void SubGroupFlow::Level::findReachable() {
  for (unsigned i = nodes.size(); i-- > 0;) {
    Node& node = nodes[i];
    node.reaches.resize(nodes.size());
    for (const unsigned to : node.successors) {
      node.reaches |= nodes[to].reaches;
      node.reaches.set(to);
    }
  }
}

/// Marks the nodes between each divergent node and the first node that all its lanes reach. There is no such node once
/// some lanes may have left the level.
void SubGroupFlow::Level::findParted() {
  for (unsigned from = 0; from < nodes.size(); ++from) {
    Node& start = nodes[from];
    if (!start.divergent) continue;
    start.parted.resize(nodes.size());
    if (start.leaves) {
      start.parted = start.reaches;
      continue;
    }
    llvm::BitVector pending(nodes.size());
    for (const unsigned to : start.successors)
      pending.set(to);
    for (int at = pending.find_first(); at != -1; at = pending.find_next(at)) {
      const Node& node = nodes[static_cast<unsigned>(at)];
      if (pending.find_next(at) == -1) break; // The lanes have converged.
      start.parted.set(static_cast<unsigned>(at));
      // Other lanes cannot be waited for at the loop's back edge.
      if (node.leaves || node.successors.empty()) {
        start.parted = start.reaches;
        break;
      }
      for (const unsigned to : node.successors)
        pending.set(to);
    }
  }
}

SubGroupFlow::SubGroupFlow(llvm::Function& function, const llvm::LoopInfo& loops, const WorkItemUniformity& uniformity)
    : loops_(loops), uniformity_(uniformity) {
  const auto outerFirst = loops_.getLoopsInPreorder();
  for (Loop* loop : llvm::reverse(outerFirst))
    analyse(loop, loop->getHeader());
  analyse(nullptr, &function.getEntryBlock());
  layOut(*levels_[nullptr], 0);
  for (BasicBlock* block : order_) {
    index_[block] = index_.size();
    if (uniformity.hasDivergentBranch(*block)) parts_.insert(block);
  }
}

SubGroupFlow::SubGroupFlow(SubGroupFlow&&) noexcept = default;
SubGroupFlow::~SubGroupFlow() = default;

llvm::AnalysisKey SubGroupFlowAnalysis::Key;

SubGroupFlow SubGroupFlowAnalysis::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  return {function, analyses.getResult<llvm::LoopAnalysis>(function),
          analyses.getResult<SubGroupUniformityAnalysis>(function)};
}

bool SubGroupFlow::invalidate(llvm::Function& function, const llvm::PreservedAnalyses& preserved,
                              llvm::FunctionAnalysisManager::Invalidator& invalidator) {
  auto checker = preserved.getChecker<SubGroupFlowAnalysis>();
  return !(checker.preserved() || checker.preservedSet<llvm::AllAnalysesOn<llvm::Function>>()) ||
         invalidator.invalidate<llvm::LoopAnalysis>(function, preserved) ||
         invalidator.invalidate<SubGroupUniformityAnalysis>(function, preserved);
}

void SubGroupFlow::analyse(const Loop* loop, BasicBlock* entry) {
  auto made = std::make_unique<Level>();
  Level& level = *made;
  level.loop = loop;
  level.nodes.emplace_back(entry, nullptr);
  level.nodeOf[entry] = 0;
  const auto add = [&](BasicBlock* block) {
    if (block == entry || level.contains(block)) return;
    const Loop* inner = loops_.getLoopFor(block);
    while (inner != loop && inner->getParentLoop() != loop)
      inner = inner->getParentLoop();
    const unsigned node = level.nodes.size();
    level.nodes.emplace_back(inner == loop ? block : inner->getHeader(), inner == loop ? nullptr : inner);
    if (inner == loop) {
      level.nodeOf[block] = node;
    } else {
      for (const BasicBlock* contained : inner->blocks())
        level.nodeOf[contained] = node;
    }
  };
  if (loop != nullptr) {
    for (BasicBlock* block : loop->blocks())
      add(block);
  } else {
    for (BasicBlock& block : *entry->getParent())
      add(&block);
  }
  level.connect();
  level.findDominators();
  level.findReachable();

  for (Level::Node& node : level.nodes) {
    if (node.loop == nullptr) {
      node.divergent = uniformity_.hasDivergentBranch(*node.block);
    } else {
      llvm::SmallVector<BasicBlock*, 4> exits;
      node.loop->getUniqueExitBlocks(exits);
      node.divergent = divergentLoops_.contains(node.loop) && exits.size() > 1;
    }
  }
  level.findParted();
  for (unsigned i = 0; i < level.nodes.size(); ++i) {
    const Level::Node& node = level.nodes[i];
    if (i > 0 && node.loop == nullptr) {
      unsigned above = node.dominator;
      while (level.nodes[above].loop != nullptr)
        above = level.nodes[above].dominator;
      dominators_[node.block] = level.nodes[above].block;
    }
    if (loop != nullptr && node.leaves && (node.divergent || level.mayHaveParted(i, 0))) divergentLoops_.insert(loop);
    // All lanes are together again at a loop's header in each iteration, unless some have left.
    const bool comesBack = node.loop != nullptr && divergentLoops_.contains(node.loop);
    if (i > 0 && !comesBack && !level.mayHaveParted(i, node.dominator)) {
      const Level::Node& dominator = level.nodes[node.dominator];
      same_[node.block] = dominator.loop != nullptr ? dominator.loop->getLoopPreheader() : dominator.block;
    }
  }
  levels_[loop] = std::move(made);
}

void SubGroupFlow::layOut(const Level& level, unsigned node) {
  const Level::Node& at = level.nodes[node];
  if (at.loop != nullptr)
    layOut(*levels_[at.loop], 0);
  else
    order_.push_back(at.block);
  for (unsigned child = node + 1; child < level.nodes.size(); ++child)
    if (level.nodes[child].dominator == node) layOut(level, child);
}

bool SubGroupFlow::isLoopHeader(const BasicBlock* block) const { return loops_.isLoopHeader(block); }

llvm::SmallVector<BasicBlock*, 4> SubGroupFlow::exitsOf(const Loop& loop) const {
  llvm::SmallVector<BasicBlock*, 4> exits;
  loop.getUniqueExitBlocks(exits);
  return exits;
}

bool SubGroupFlow::leavesDivergentLoop(const BasicBlock& from, const BasicBlock& to) const {
  for (const Loop* loop = loops_.getLoopFor(&from); loop != nullptr && !loop->contains(&to);
       loop = loop->getParentLoop())
    if (isDivergent(*loop)) return true;
  return false;
}

bool SubGroupFlow::leavesDivergently(const llvm::PHINode& phi) const {
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const BasicBlock* from = phi.getIncomingBlock(i);
    if (!leavesDivergentLoop(*from, *phi.getParent())) continue;
    if (phi.hasConstantValue() == nullptr) return true;
    if (const auto* value = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValue(i));
        value != nullptr && loops_.getLoopFor(value->getParent()) != nullptr &&
        !loops_.getLoopFor(value->getParent())->contains(phi.getParent()))
      return true;
  }
  return false;
}

} // namespace clotho::compiler
