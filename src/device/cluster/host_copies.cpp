// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/host_copies.hpp"

#include "command/dense_copy.hpp"
#include "command/node.hpp"
#include "device/cluster/session.hpp"

#include <algorithm>
#include <new>
#include <numeric>

namespace clotho::cluster {

namespace {

/// Describes the copy as one row, or as rows of one slice, if its bytes lie like that.
Copy inFewDimensions(const Copy& copy) {
  Copy result = shapeOf(copy);
  if (isDense(copy)) {
    result.rowBytes = bytesOf(copy);
    result.rows = result.slices = 1;
  } else if (copy.rows == 1) {
    result.rows = std::exchange(result.slices, 1);
    result.sourceRowPitch = copy.sourceSlicePitch;
    result.targetRowPitch = copy.targetSlicePitch;
  }
  return result;
}

std::uint64_t addressOf(const std::byte* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

} // namespace

HostCopies::HostCopies(Session& session) : session_(session) { std::iota(free_.begin(), free_.end(), 0U); }

HostCopies::Running& HostCopies::runningOf(Node& node) {
  static_assert(sizeof(Running) <= Node::kDeviceStateSize);
  return *std::launder(reinterpret_cast<Running*>(node.deviceState()));
}

std::byte* HostCopies::bytesOfSlot(std::uint32_t slot) const noexcept {
  return session_.slots().data() + slot * SharedArea::kSlotBytes;
}

Copy HostCopies::Running::next() noexcept {
  constexpr std::size_t kMost = SharedArea::kSlotBytes;
  Copy part = shapeOf(all);
  part.source += slice * all.sourceSlicePitch + row * all.sourceRowPitch + byte;
  part.target += slice * all.targetSlicePitch + row * all.targetRowPitch + byte;
  if (bytesOf(all) <= kMost) {
    slice = all.slices;
    return part;
  }
  part.slices = 1;
  part.rows = all.rowBytes > kMost ? 1 : std::min(kMost / all.rowBytes, all.rows - row);
  part.rowBytes = std::min(kMost, all.rowBytes - byte);
  byte += part.rowBytes;
  if (byte < all.rowBytes) return part;
  byte = 0;
  row += part.rows;
  if (row < all.rows) return part;
  row = 0;
  ++slice;
  return part;
}

void HostCopies::start(Node& node, std::uint32_t queue, bool isWrite, WorkList& ready) noexcept {
  const Copy& copy = *std::get_if<Copy>(&node.command());
  if (bytesOf(copy) == 0) return node.complete(CL_COMPLETE, ready);
  auto* running = new (node.deviceState()) Running{.all = inFewDimensions(copy)};
  running->queue = queue;
  running->isWrite = isWrite;
  running->senders = 1;
  node.begin();
  goOn(node, ready);
}

void HostCopies::goOn(Node& node, WorkList& list) noexcept {
  for (Node* next = &node; next;) {
    Node& current = *next;
    next = sendParts(current);
    release(current, list);
  }
}

Node* HostCopies::sendParts(Node& node) noexcept {
  std::uint32_t slot = 0;
  Copy part{};
  while (takePart(node, slot, part)) {
    cl_int failure = CL_SUCCESS;
    if (send(node, slot, part, failure)) continue;
    MutexLock lock(mutex_);
    Running& running = runningOf(node);
    running.status = failure;
    --running.parts;
    return free(slot);
  }
  return nullptr;
}

bool HostCopies::takePart(Node& node, std::uint32_t& slot, Copy& part) noexcept {
  MutexLock lock(mutex_);
  Running& running = runningOf(node);
  if (running.isSent() || running.isWaiting || running.parts >= kMostOfCopy) return false;
  if (freeCount_ == 0) {
    // The thread that hears of the end of a part goes on with its slot, so a copy waits only if it has none under way.
    if (running.parts > 0) return false;
    running.isWaiting = true;
    (waiting_ ? runningOf(*lastWaiting_).nextWaiting : waiting_) = &node;
    lastWaiting_ = &node;
    return false;
  }
  slot = free_[--freeCount_];
  part = running.next();
  ++running.parts;
  return true;
}

bool HostCopies::send(Node& node, std::uint32_t slot, const Copy& part, cl_int& failure) noexcept {
  const Running& running = runningOf(node);
  parts_[slot] = part;
  RunCopy copy{.rowBytes = part.rowBytes, .rows = part.rows, .slices = part.slices};
  const Place inSlot{Place::Kind::Slots, slot * SharedArea::kSlotBytes};
  if (running.isWrite) {
    const Copy filling = intoDense(part, bytesOfSlot(slot));
    copyRows(filling);
    copy.source = inSlot;
    copy.target = {Place::Kind::Device, addressOf(part.target)};
    copy.sourceRowPitch = filling.targetRowPitch;
    copy.sourceSlicePitch = filling.targetSlicePitch;
    copy.targetRowPitch = part.targetRowPitch;
    copy.targetSlicePitch = part.targetSlicePitch;
  } else {
    const Copy emptying = fromDense(part, nullptr);
    copy.source = {Place::Kind::Device, addressOf(part.source)};
    copy.target = inSlot;
    copy.sourceRowPitch = part.sourceRowPitch;
    copy.sourceSlicePitch = part.sourceSlicePitch;
    copy.targetRowPitch = emptying.sourceRowPitch;
    copy.targetSlicePitch = emptying.sourceSlicePitch;
  }
  return session_.run({this, &node, slot}, running.queue, copy, failure);
}

void HostCopies::ended(Node& node, std::uint32_t slot, const Ended& end, WorkList& list) noexcept {
  Running& running = runningOf(node);
  const auto status = std::min<cl_int>(static_cast<cl_int>(end.status), CL_COMPLETE);
  if (!running.isWrite && status >= 0) copyRows(fromDense(parts_[slot], bytesOfSlot(slot)));
  Node* other = nullptr;
  {
    MutexLock lock(mutex_);
    if (status < 0 && running.status >= 0) running.status = status;
    running.started = running.started == 0 ? end.started : std::min(running.started, end.started);
    running.ended = std::max(running.ended, end.ended);
    --running.parts;
    ++running.senders;
    other = free(slot);
  }
  goOn(node, list);
  if (other) goOn(*other, list);
}

Node* HostCopies::free(std::uint32_t slot) noexcept {
  free_[freeCount_++] = slot;
  Node* node = waiting_;
  if (!node) return nullptr;
  Running& running = runningOf(*node);
  waiting_ = running.nextWaiting;
  running.nextWaiting = nullptr;
  running.isWaiting = false;
  ++running.senders;
  return node;
}

void HostCopies::release(Node& node, WorkList& list) noexcept {
  Running& running = runningOf(node);
  {
    MutexLock lock(mutex_);
    if (--running.senders > 0 || running.parts > 0 || running.isWaiting || !running.isSent()) return;
  }
  if (running.ended != 0) node.setTimes(running.started, running.ended);
  node.complete(running.status, list);
}

} // namespace clotho::cluster
