// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/enqueued_graph.hpp"

#include "base/clock.hpp"
#include "command/enqueued_launch.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace clotho::cuda {

namespace {

std::uint32_t slotOf(std::uint64_t handle) { return static_cast<std::uint32_t>(handle) - 1; }

/// Adds a status to one that keeps the first error.
void addStatus(cl_int& all, cl_int status) {
  if (status < 0 && all >= 0) all = status;
}

/// Whether kernels can have written this record.
bool isRecord(const EnqueuedKernel& record) {
  const std::uint64_t words = (std::uint64_t{record.literalBytes} + 7) / 8 + record.localCount + record.waitCount;
  // Markers have no range.
  return words * 8 <= kQueueRecordRoom && (record.block == kMarkerBlock || record.dimensions <= 3);
}

} // namespace

EnqueuedGraph::~EnqueuedGraph() {
  // Children that have not ended still have accounts, of which several may have the same outer ones.
  std::vector<Account*> accounts;
  const auto add = [&](Account* account) {
    for (; account && account != &root_; account = account->heir ? account->heir : account->outer)
      accounts.push_back(account);
  };
  for (const Child& child : children_)
    add(child.account);
  for (const Event& each : events_)
    add(each.account);
  std::ranges::sort(accounts);
  const auto [begin, end] = std::ranges::unique(accounts);
  accounts.erase(begin, end);
  for (Account* each : accounts)
    delete each;
}

EnqueuedGraph::Event& EnqueuedGraph::event(std::uint32_t slot) {
  if (slot >= events_.size()) events_.resize(slot + 1);
  return events_[slot];
}

bool EnqueuedGraph::add(const EnqueuedKernel& record, std::uint64_t address, bool isTimed, Account& parent) {
  if (!isRecord(record)) return false;
  const auto* words = reinterpret_cast<const std::uint64_t*>(record.room);
  const auto* sizes = words + (record.literalBytes + 7) / 8;
  const auto* waits = sizes + record.localCount;
  const auto isSlot = [](std::uint64_t handle) { return handle == 0 || slotOf(handle) < kMostOnDeviceEvents; };
  if (!isSlot(record.event) || !std::all_of(waits, waits + record.waitCount, isSlot)) return false;

  Child& child = children_.emplace_back();
  child.self = std::prev(children_.end());
  child.block = record.block;
  if (record.block != kMarkerBlock) {
    child.range = rangeOf(record);
    const auto* literal = reinterpret_cast<const std::byte*>(record.room);
    child.literal.assign(literal, literal + record.literalBytes);
    child.localSizes.assign(sizes, sizes + record.localCount);
  }
  child.waits.assign(waits, waits + record.waitCount);
  child.literalAt = address + offsetof(EnqueuedKernel, room);

  Account* account = &parent;
  while (account->heir)
    account = account->heir;
  if (record.event != 0) {
    child.slot = slotOf(record.event);
    Event& own = event(child.slot);
    if (own.account || own.isOver) return false; // kernels have released it more often than they had it
    own.account = new Account{.outer = account, .slot = child.slot, .child = &child};
    own.isTimed = child.isTimed = isTimed;
    child.hasEvent = true;
    ++account->open;
    child.account = own.account;
  } else {
    ++account->open;
    child.account = account;
  }
  for (const std::uint64_t handle : child.waits) {
    if (handle == 0) {
      child.failure = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST; // it was released before the call was over
      continue;
    }
    Event& each = event(slotOf(handle));
    if (!each.isOver) {
      each.dependents.push_back(&child);
      ++child.unmet;
    } else if (each.status < 0) {
      child.failure = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
  }
  if (child.unmet == 0) settle(child);
  return true;
}

void EnqueuedGraph::capture(std::uint32_t slot, std::uint64_t handle, std::uint64_t address) {
  if (handle == 0 || slotOf(handle) >= kMostOnDeviceEvents) return;
  event(slot).isOver = true; // no command has this slot
  Event& wanted = event(slotOf(handle));
  if (wanted.isOver)
    finishCapture({slot, address}, wanted);
  else
    wanted.captures.push_back({slot, address});
}

EnqueuedGraph::Child* EnqueuedGraph::takeReady() {
  if (readyAt_ == ready_.size()) {
    ready_.clear();
    readyAt_ = 0;
    return nullptr;
  }
  return ready_[readyAt_++];
}

void EnqueuedGraph::ended(Child& child, cl_int status) {
  if (child.hasEvent) {
    Event& own = events_[child.slot];
    own.started = child.started;
    own.ended = child.ended;
    own.account->child = nullptr;
  }
  remove(child, status);
}

void EnqueuedGraph::settle(Child& child) {
  if (child.failure == CL_SUCCESS && !child.isEmpty()) {
    ready_.push_back(&child);
    return;
  }
  if (child.hasEvent) events_[child.slot].account->child = nullptr;
  remove(child, child.failure == CL_SUCCESS ? CL_COMPLETE : child.failure);
}

void EnqueuedGraph::remove(Child& child, cl_int status) {
  for (const std::uint64_t handle : child.waits)
    if (handle != 0) ++event(slotOf(handle)).released;
  Account& account = *child.account;
  children_.erase(child.self);
  end(account, status);
}

void EnqueuedGraph::end(Account& first, cl_int status) {
  for (Account* account = &first; account;) {
    while (account->heir) {
      Account* const heir = account->heir;
      if (--account->open == 0) delete account;
      account = heir;
    }
    addStatus(account->status, status);
    if (--account->open != 0 || account == &root_) return;
    status = account->status;
    Account* const outer = account->outer;
    const std::uint32_t slot = account->slot;
    delete account;
    complete(slot, status);
    account = outer;
  }
}

// A list and no recursion, since chains may be as long as there are events.
void EnqueuedGraph::complete(std::uint32_t slot, cl_int status) {
  over_.push_back({slot, status});
  if (isSpreading_) return;
  isSpreading_ = true;
  for (std::size_t i = 0; i < over_.size(); ++i)
    spread(Over(over_[i]));
  over_.clear();
  isSpreading_ = false;
}

void EnqueuedGraph::spread(const Over& over) {
  Event& own = event(over.slot);
  if (own.isOver) return;
  own.isOver = true;
  own.status = over.status;
  own.account = nullptr;
  ++own.released;
  if (own.isTimed && own.started != 0) {
    own.completed = std::max(own.ended, hostTime());
    times_.push_back({over.slot, 0, {own.ended - own.started, own.completed - own.started}});
  }
  for (const Capture& each : std::exchange(own.captures, {}))
    finishCapture(each, own);
  for (Child* child : std::exchange(event(over.slot).dependents, {})) {
    if (over.status < 0) child->failure = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (--child->unmet == 0) settle(*child);
  }
}

void EnqueuedGraph::finishCapture(const Capture& capture, Event& own) {
  if (own.isTimed && own.started != 0)
    times_.push_back({capture.slot, capture.address, {own.ended - own.started, own.completed - own.started}});
  ++own.released;
  ++event(capture.slot).released;
}

void EnqueuedGraph::giveUp() {
  bool hasFailed = false;
  for (std::uint32_t slot = 0; slot < events_.size(); ++slot) {
    if (events_[slot].isOver || events_[slot].dependents.empty() || events_[slot].account) continue;
    hasFailed = true;
    complete(slot, CL_INVALID_EVENT);
  }
  // Events that wait for themselves.
  while (!hasFailed && !children_.empty() && readyAt_ == ready_.size()) {
    Child& child = children_.front();
    for (Event& each : events_)
      std::erase(each.dependents, &child);
    child.unmet = 0;
    child.failure = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    settle(child);
  }
}

EnqueuedGraph::Account& EnqueuedGraph::outerOf(Account& account) {
  Account* outer = account.outer;
  while (outer->heir) {
    Account* const heir = outer->heir;
    if (--outer->open == 0) delete outer;
    outer = heir;
  }
  account.outer = outer;
  return *outer;
}

void EnqueuedGraph::detach(Account& account) {
  Account& outer = outerOf(account);
  addStatus(outer.status, account.status);
  outer.open += account.open - 1;
  account.heir = &outer;
  if (account.child) account.child->hasEvent = account.child->isTimed = false;
  events_[account.slot].isTimed = false; // its slot may be another event's before times are written
  complete(account.slot, CL_COMPLETE);
}

std::uint64_t EnqueuedGraph::reclaim(std::span<DeviceEvent> table, SlotPool& pool, bool all) {
  std::uint64_t left = 0;
  for (std::uint32_t slot = 0; slot < table.size(); ++slot) {
    DeviceEvent& each = table[slot];
    if (each.references == 0) continue;
    Event& own = event(slot);
    const auto references = [&] { return each.references > own.released ? each.references - own.released : 0; };
    if (own.account && !all && references() <= 1) detach(*own.account); // the device's reference is the last
    const bool isUnused = references() == 0 || (!own.isOver && !own.account && references() == 1);
    if (all || isUnused) {
      ++each.generation;
      each.references = 0;
      if (!all) own = {};
      continue;
    }
    each.references -= std::exchange(own.released, 0);
    ++left;
  }
  std::uint32_t top = 0;
  for (auto slot = static_cast<std::uint32_t>(table.size()); slot-- > 0;)
    if (table[slot].references == 0) table[slot].nextFree = std::exchange(top, slot + 1);
  if (all) {
    pool.fresh = 0;
    top = 0;
  }
  pool.top = ((pool.top >> 32) + 1) << 32 | top;
  return left;
}

} // namespace clotho::cuda
