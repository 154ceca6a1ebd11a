// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command/node.hpp"

#include "command/replay.hpp"
#include "command/transfer.hpp"
#include "command/work_list.hpp"

#include <algorithm>
#include <cstdio>
#include <new>

namespace clotho {

namespace {

/// Marks a successor list to which nothing can be added any more: the node is done.
constinit Edge sealedMark;
Edge* const kSealed = &sealedMark;

/// Variant of forEachOperand that leaves out operands which one of the last few commands of a sequence has used in the
/// same way.
template <class Use> void forEachNewOperand(const Command& command, Use&& use) {
  if (!std::holds_alternative<Sequence>(command)) return forEachOperand(command, use);
  struct Used {
    const MemoryView* memory = nullptr;
    Range range{};
    Access access{};
  };
  std::array<Used, 8> recent;
  std::size_t count = 0;
  forEachOperand(command, [&](MemoryView& memory, Range range, Access access) {
    for (const Used& each : recent)
      if (each.memory == &memory && each.range.begin == range.begin && each.range.end == range.end &&
          each.access == access)
        return;
    recent[count++ % recent.size()] = {&memory, range, access};
    use(memory, range, access);
  });
}

} // namespace

// --- Building the graph ---

bool Node::link(Edge& edge, Node& successor, bool passesFailure) noexcept {
  const bool isMetByIssue = successor.isOrderedAfter(*this);
  edge.init(successor, passesFailure, isMetByIssue);
  if (isMetByIssue) {
    successor.endsByIssue_ = true;
    successor.unended_.fetch_add(1, std::memory_order_relaxed);
  }
  // An armed command keeps itself alive. A user event is kept by the first command that waits for it (section 5.11,
  // clReleaseEvent), until finish().
  const bool isUserEvent = !deviceQueue_;
  if (isUserEvent) retain();
  Edge* head = successors_.load(std::memory_order_acquire);
  do {
    if (head == kSealed) break; // done in the meantime
    edge.next = head;
  } while (!successors_.compare_exchange_weak(head, &edge, std::memory_order_seq_cst, std::memory_order_acquire));
  if (isUserEvent && head) release();
  if (isMetByIssue) [[unlikely]] {
    if (head == kSealed)
      successor.unended_.fetch_sub(1, std::memory_order_relaxed);
    else if (const std::uint64_t ticket = issuedAs_.load(std::memory_order_seq_cst);
             ticket != Edge::kNotIssued && edge.meet(ticket))
      successor.unmet_.fetch_sub(1, std::memory_order_relaxed); // not the last: the successor is not armed yet
    if (const cl_int status = ownStatus_.load(std::memory_order_seq_cst); head != kSealed && status < 0)
      passFailure(edge, status);
  }
  return head != kSealed;
}

bool Node::isOrderedAfter(const Node& predecessor) const noexcept {
  return isTracked_ && deviceQueue_->orders(predecessor.deviceQueue_) && isStreamed();
}

bool Node::isStreamedCopy() const noexcept {
  const auto* copy = std::get_if<Copy>(&command_);
  return copy && deviceQueue_->streams(*copy);
}

// A device that told of the failure may forget it from here on, so it must not be given what waits for the command. The
// list only grows until the node is done, which it is not before this has counted itself down.
bool Node::mayEnd(cl_int status) noexcept {
  if (status >= 0) {
    ownStatus_.store(status, std::memory_order_relaxed);
  } else {
    ownStatus_.store(status, std::memory_order_seq_cst);
    for (Edge* edge = successors_.load(std::memory_order_seq_cst); edge && edge != kSealed; edge = edge->next)
      if (edge->isMetByIssue()) passFailure(*edge, status);
  }
  return unended_.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

// A successor that is ordered by issue may be past the point where it would tell its wait list from transfers.
void Node::passFailure(const Edge& edge, cl_int status) const noexcept {
  if (!edge.passesFailure()) return;
  const bool isAsIs = passesAlike_ || !edge.isMetByIssue();
  edge.successor->inheritedFailure_.store(isAsIs ? status : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                                          std::memory_order_release);
}

void Node::reserveDependencies(std::size_t count) {
  if (count > kInlineEdges + moreEdgeCount_) {
    moreEdges_ = std::make_unique<Edge[]>(count - kInlineEdges);
    moreEdgeCount_ = static_cast<std::uint32_t>(count - kInlineEdges);
  }
  reserved_ = static_cast<std::uint32_t>(count);
  unmet_.store(1 + reserved_, std::memory_order_relaxed);
}

bool Node::dependOn(Node& predecessor, bool passesFailure) noexcept {
  if (predecessor.successors_.load(std::memory_order_acquire) != kSealed) {
    std::uint32_t& used = transferEdges_ ? usedTransferEdges_ : usedEdges_;
    Edge& edge = transferEdges_ ? transferEdges_[used] : edgeAt(used);
    if (predecessor.link(edge, *this, passesFailure)) {
      ++used;
      return true;
    }
  }
  // The caller has a reference to it, so link() has not released the last.
  cl_int status = predecessor.status(); // NOLINT(clang-analyzer-cplusplus.NewDelete)
  if (passesFailure && status < 0) inheritedFailure_.store(status, std::memory_order_relaxed);
  return false;
}

void Node::precede(Node& join) noexcept {
  joinEdge_.successor = &join;
  successors_.store(&joinEdge_, std::memory_order_relaxed);
}

bool Node::holdArguments(Node* predecessor) noexcept {
  const auto* launch = std::get_if<Launch>(&command_);
  if (!launch) return true;
  referencesId_ = launch->referencesId;
  bool taken = predecessor && referencesId_ && predecessor->referencesId_ == referencesId_ &&
               predecessor->holdsArguments_.exchange(false, std::memory_order_acq_rel);
  if (!taken && !launch->tryRetainReferences()) return false;
  holdsArguments_.store(true, std::memory_order_relaxed);
  return true;
}

void Node::arm() noexcept {
  WorkList list;
  arm(list);
  list.run();
}

void Node::arm(WorkList& list) noexcept {
  if (isTimed_) stamp(Submitted);
  status_.store(CL_SUBMITTED, std::memory_order_release);
  const std::uint32_t notToCome = 1 + reserved_ - usedEdges_;
  if (unmet_.fetch_sub(notToCome, std::memory_order_acq_rel) == notToCome) list.push(*this);
}

void Node::renew(DeviceQueue* deviceQueue) noexcept {
  deviceQueue_ = deviceQueue;
  status_.store(CL_QUEUED, std::memory_order_relaxed);
  isAcquiring_ = hasNotedWrites_ = failsAlike_ = endsByIssue_ = isEnding_ = hasTimes_ = runsHere_ = false;
  issuedAs_.store(Edge::kNotIssued, std::memory_order_relaxed);
  unended_.store(1, std::memory_order_relaxed);
  ownStatus_.store(CL_COMPLETE, std::memory_order_relaxed);
  transferEdges_ = nullptr;
  usedTransferEdges_ = 0;
  inheritedFailure_.store(CL_SUCCESS, std::memory_order_relaxed);
  successors_.store(nullptr, std::memory_order_relaxed);
  usedEdges_ = 0;
}

// --- Running ---

// The edges to what the command was enqueued after are free again, since all of that is done; or some of it is only
// issued, and then the edges to transfers are others.
bool Node::acquireOperands(WorkList& list) noexcept {
  std::vector<Need> needed;
  cl_int failure = CL_SUCCESS;
  isAcquiring_ = failsAlike_ = true;
  if (!endsByIssue_) usedEdges_ = 0;
  try {
    forEachNewOperand(command_, [&, mayNotRun = mayNotRun()](MemoryView& memory, Range range, Access access) {
      memory.storage().acquire(home_, range, access, needed, mayNotRun);
    });
  } catch (const Error& error) {
    failure = error.code;
  } catch (const std::bad_alloc&) {
    failure = CL_OUT_OF_HOST_MEMORY;
  }
  // A command that fails here still waits for the transfers that it has begun: its end allows the application to free
  // memory that they work with. If it cannot wait, the transfers that no other command has armed do not run either.
  bool waits = !needed.empty();
  const auto count = static_cast<std::uint32_t>(needed.size());
  std::shared_ptr<const std::vector<std::uint64_t>> tickets;
  try {
    if (endsByIssue_ && waits) {
      auto predecessors = std::make_shared<std::vector<std::uint64_t>>();
      forEachIssuedPredecessor([&](std::uint64_t ticket) { predecessors->push_back(ticket); });
      tickets = std::move(predecessors);
      transferEdges_ = std::make_unique<Edge[]>(count);
    } else if (!endsByIssue_) {
      reserveDependencies(count);
    }
    unmet_.store(1 + count, std::memory_order_relaxed);
  } catch (const std::bad_alloc&) {
    failure = CL_OUT_OF_HOST_MEMORY;
    waits = false;
  }
  if (failure != CL_SUCCESS) giveUp(failure);
  for (const Need& need : needed) {
    if (waits) dependOn(*need.transfer, need.bringsBytes);
    if (!need.transfer->isFirstToArm()) continue;
    need.transfer->follow(tickets);
    if (!waits) need.transfer->giveUp(failure);
    need.transfer->arm(list);
  }
  if (!waits) return true;
  const std::uint32_t notToCome = 1 + count - (transferEdges_ ? usedTransferEdges_ : usedEdges_);
  return unmet_.fetch_sub(notToCome, std::memory_order_acq_rel) == notToCome;
}

bool Node::mayNotRun() const noexcept {
  bool isBehind = false;
  forEachIssuedPredecessor([&](std::uint64_t, bool passesFailure) { isBehind |= passesFailure; });
  // Only launches fail while they run.
  if (const auto* sequence = std::get_if<Sequence>(&command_))
    isBehind |= std::ranges::any_of(sequence->commands, [](const Ref<RecordedCommand>& each) {
      return std::holds_alternative<Launch>(each->command());
    });
  return isBehind && isStreamed();
}

bool Node::isPlacedByGraph() const noexcept {
  if (!deviceQueue_ || !deviceQueue_->placesCommands()) return true;
  if (const auto* sequence = std::get_if<Sequence>(&command_)) return sequence->replay != nullptr;
  return std::visit(Overloaded{[](const auto&) { return true; }, [](const Launch&) { return false; },
                               [](const Copy&) { return false; }, [](const Fill&) { return false; },
                               [](const Map&) { return false; }, [](const Unmap&) { return false; },
                               [](const Migrate&) { return false; }},
                    command_);
}

cl_int Node::noteWrites() noexcept {
  hasNotedWrites_ = true;
  try {
    forEachNewOperand(command_, [&](MemoryView& memory, Range range, Access access) {
      if (access != Access::Read) memory.storage().noteWritten(home_, range, this);
    });
    return CL_SUCCESS;
  } catch (const std::bad_alloc&) {
    giveUp(CL_OUT_OF_HOST_MEMORY);
    return CL_OUT_OF_HOST_MEMORY;
  }
}

// A command that fails may not have come to what it was to write anew: then its home has neither old bytes nor new.
void Node::endWrites(cl_int status) noexcept {
  const bool hasRun = inheritedFailure_.load(std::memory_order_relaxed) >= 0;
  forEachNewOperand(command_, [&](MemoryView& memory, Range range, Access access) {
    if (access == Access::Read) return;
    memory.storage().writerEnded(*this, range, hasRun && (status >= 0 || access != Access::Discard));
  });
}

/// While this command runs, the memory of the next one is fetched from the core that has enqueued it.
void Node::prefetchSuccessor() const noexcept {
  constexpr std::ptrdiff_t kLine = 64, kBefore = 2, kBehind = 8;
  Edge* edge = successors_.load(std::memory_order_relaxed);
  if (!edge || edge == kSealed) return;
  // An edge of a long wait list is elsewhere; then this fetches something else, which does no harm.
  const auto* middle = reinterpret_cast<const std::byte*>(edge);
  for (std::ptrdiff_t line = -kBefore; line <= kBehind; ++line)
    __builtin_prefetch(middle + line * kLine, 1);
}

void Node::begin() noexcept {
  std::uint32_t expected = CL_SUBMITTED;
  if (!status_.compare_exchange_strong(expected, CL_RUNNING, std::memory_order_acq_rel)) return;
  if (isTimed_ && !hasTimes_) stamp(Started);
  prefetchSuccessor();
  if (isObserved_.load(std::memory_order_seq_cst)) reached(CL_RUNNING);
}

void Node::issued(std::uint64_t ticket, WorkList& list) noexcept {
  issuedAs_.store(ticket, std::memory_order_seq_cst);
  // The list only grows until the node is done, and successors that have started end after it.
  for (Edge* edge = successors_.load(std::memory_order_seq_cst); edge && edge != kSealed; edge = edge->next)
    if (edge->isMetByIssue() && edge->meet(ticket) && edge->successor->dependencyMet()) list.push(*edge->successor);
}

void Node::complete(cl_int status) noexcept {
  WorkList list;
  complete(status, list);
  list.run();
}

void Node::finish(cl_int status, WorkList& list) noexcept {
  if (endsByIssue_ && status >= 0) [[unlikely]] {
    const cl_int inherited = inheritedFailure_.load(std::memory_order_relaxed);
    if (inherited < 0) status = inherited;
  }
  if (isTimed_ && !hasTimes_) stamp(Completed);
  if (traceQueue_) [[unlikely]]
    traceEnd(status);
  if (hasNotedWrites_) endWrites(status);
  // The objects that the command kept alive are released first: an application that sees the command complete finds its
  // own references the last ones.
  if (auto* launch = std::get_if<Launch>(&command_)) launch->code.reset(); // events may keep the node for long
  if (holdsArguments_.exchange(false, std::memory_order_acq_rel)) std::get_if<Launch>(&command_)->releaseReferences();
  if (isTracked_) ends();
  if (status < 0) [[unlikely]]
    correctMaps();
  std::unique_ptr<SemaphoreUse> semaphores;
  if (auto* use = std::get_if<UseSemaphores>(&command_)) {
    semaphores = std::move(use->use);
    semaphores->ends(status);
  }
  command_ = Nothing{};
  status_.store(static_cast<std::uint32_t>(status), std::memory_order_seq_cst);
  if (waiters_.load(std::memory_order_seq_cst)) Parking::wakeAll(status_);
  if (isObserved_.load(std::memory_order_seq_cst)) reached(status);
  ended(status, list);

  Edge* edge = successors_.exchange(kSealed, std::memory_order_acq_rel);
  const bool hasTrace = isTraced();
  if (edge && !deviceQueue_) release(); // see link(); there is a reference left
  while (edge) {
    Edge* next = edge->next; // the edge may be gone once its successor is ready
    Node& successor = *edge->successor;
    if (hasTrace && edge->passesFailure()) [[unlikely]]
      traceSuccessor(successor); // NOLINT(clang-analyzer-cplusplus.NewDelete): a reference is left
    if (status < 0) passFailure(*edge, status);
    if (edge->isMetByIssue()) [[unlikely]] {
      const bool isFirst = edge->meet(Edge::kEnded);
      // A successor that may start has not ended by that; one that has started may end here.
      if (isFirst && successor.dependencyMet()) list.push(successor);
      if (successor.predecessorEnded()) list.pushEnding(successor);
    } else if (successor.dependencyMet()) {
      list.push(successor);
    }
    edge = next;
  }
  if (semaphores) semaphores->ended(status, list);
  release();
}

void Node::print(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void Node::sleepUntilDone() noexcept {
  waiters_.fetch_add(1, std::memory_order_seq_cst);
  for (std::uint32_t now = status_.load(std::memory_order_seq_cst); static_cast<cl_int>(now) > CL_COMPLETE;
       now = status_.load(std::memory_order_seq_cst))
    Parking::wait(status_, now);
  waiters_.fetch_sub(1, std::memory_order_relaxed);
}

void WorkList::run() noexcept {
  while (Node* node = first_) {
    first_ = node->nextReady_;
    if (!first_) last_ = nullptr;
    if (node->isEnding_) {
      node->finish(node->ownStatus_.load(std::memory_order_relaxed), *this);
      continue;
    }
    const auto failed = [node] { return node->inheritedFailure_.load(std::memory_order_relaxed); };
    const bool isPlaced = node->isTracked_ && node->isPlacedByGraph();
    if (isPlaced && !node->isAcquiring_ && failed() == CL_SUCCESS && !node->acquireOperands(*this)) continue;
    cl_int failure = failed();
    if (failure == CL_SUCCESS && isPlaced) failure = node->noteWrites();
    if (failure != CL_SUCCESS) {
      node->complete(node->failsAlike_ ? failure : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, *this);
    } else {
      if (node->isTracked_) node->starts();
      start(*node);
    }
  }
}

void WorkList::start(Node& node) noexcept {
  const auto onDevice = [&](const auto&) { node.deviceQueue_->start(node, *this); };
  const auto atOnce = [&](const auto&) {
    node.begin();
    node.complete(CL_COMPLETE, *this);
  };
  const bool isPlacedByQueue = node.isTracked_ && !node.isPlacedByGraph();
  std::visit(Overloaded{
                 // The device has to know of a marker that comes after what is only issued.
                 [&](const Nothing& nothing) { node.endsByIssue_ ? onDevice(nothing) : atOnce(nothing); },
                 [&](const Launch& launch) { onDevice(launch); },
                 [&](const Copy& copy) { onDevice(copy); },
                 [&](const Fill& fill) { onDevice(fill); },
                 [&](const Map& map) { isPlacedByQueue ? onDevice(map) : atOnce(map); },
                 [&](const Unmap& unmap) {
                   if (isPlacedByQueue) return onDevice(unmap);
                   node.begin();
                   node.complete(node.endMap(unmap), *this);
                 },
                 [&](const Migrate& migrate) {
                   migrate.shared.empty() && !isPlacedByQueue ? atOnce(migrate) : onDevice(migrate);
                 },
                 [&](const UseSemaphores& semaphores) { atOnce(semaphores); },
                 [&](const HostCall&) { node.runOnHost(); },
                 [&](const FreeShared& free) {
                   if (free.function) return node.runOnHost();
                   node.begin();
                   node.freeShared(free);
                   node.complete(CL_COMPLETE, *this);
                 },
                 [&](const Sequence& sequence) {
                   if (!sequence.replay) return onDevice(sequence);
                   node.begin();
                   sequence.replay->start(node, *this);
                 },
             },
             node.command_);
}

cl_int Node::endMap(const Unmap& unmap) noexcept {
  if (!isTracked_ || !unmap.memory) return CL_COMPLETE;
  try {
    unmap.memory->storage().noteWritten(kHostHome, unmap.written);
    return CL_COMPLETE;
  } catch (const std::bad_alloc&) {
    return CL_OUT_OF_HOST_MEMORY;
  }
}

// A map that failed never began. The end of a map is one also if it fails: it is over for later calls since it was
// enqueued, and what the application has written meanwhile is not to be lost.
void Node::correctMaps() noexcept {
  if (const auto* map = std::get_if<Map>(&command_)) {
    if (map->operand.memory) map->operand.memory->takeBackMap(map->number);
  } else if (const auto* unmap = std::get_if<Unmap>(&command_)) {
    endMap(*unmap);
  }
}

// --- What launches keep alive ---

bool Launch::tryRetainReferences() const noexcept {
  std::size_t held = 0;
  const std::size_t objects = args.objectCount();
  while (held < objects && args.object(held).tryRetain())
    ++held;
  if (held == objects) {
    if (program) program->retain(); // the kernel's, which is alive
    return true;
  }
  while (held > 0)
    args.object(--held).release();
  return false;
}

RecordedCommand::RecordedCommand(Command&& command) : command_(std::move(command)) {
  const auto* launch = std::get_if<Launch>(&command_);
  check(!launch || launch->tryRetainReferences(), CL_INVALID_MEM_OBJECT, "a buffer that is an argument was released");
}

RecordedCommand::~RecordedCommand() {
  delete prepared_.load(std::memory_order_acquire);
  if (const auto* launch = std::get_if<Launch>(&command_)) launch->releaseReferences();
}

void Launch::releaseReferences() const noexcept {
  for (MemoryView* object : args.inlineObjects) {
    if (!object) break;
    object->release();
  }
  for (MemoryView* object : args.moreObjects)
    object->release();
  if (program) program->release();
}

} // namespace clotho
