// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/stream_queue.hpp"

#include "command/node.hpp"
#include "device/cpu/cpu_device.hpp"

#include <new>

namespace clotho::cpu {

namespace {

constexpr std::uint64_t ticketOf(std::uint32_t stream, std::uint32_t place) {
  return std::uint64_t{stream} << 32 | place;
}

/// `all`: the first stream.
bool hasEnded(const Stream* all, std::uint64_t ticket) {
  for (const Stream* stream = all; stream; stream = stream->next)
    if (stream->number == ticket >> 32) return static_cast<std::uint32_t>(ticket) <= stream->ended;
  return true; // its queue is gone, and all that was in it has ended
}

Stream::Entry& entryOf(Node& node) { return *std::launder(reinterpret_cast<Stream::Entry*>(node.deviceState())); }

} // namespace

// --- The device's streams ---

void Streams::add(Stream& stream) noexcept {
  MutexLock lock(mutex_);
  stream.number = ++lastNumber_;
  stream.next = first_;
  first_ = &stream;
}

void Streams::remove(Stream& stream) noexcept {
  MutexLock lock(mutex_);
  Stream** place = &first_;
  while (*place != &stream)
    place = &(*place)->next;
  *place = stream.next;
}

std::uint64_t Streams::append(Stream& stream, Node& node) noexcept {
  auto* entry = new (node.deviceState()) Stream::Entry{&node};
  MutexLock lock(mutex_);
  (stream.first ? stream.newest->next : stream.first) = entry;
  stream.newest = entry;
  return ticketOf(stream.number, ++stream.last);
}

void Streams::issued(Node& node) noexcept {
  {
    MutexLock lock(mutex_);
    entryOf(node).isIssued = true;
  }
  advance();
}

// The next command begins before the host knows of this end, as on a GPU, so ends may be told in another order. A
// failure comes first: it ends those that it reaches before they begin.
void Streams::ended(Node& node, cl_int status) noexcept {
  const Running running = find(node);
  // A kernel that may enqueue others has told the time of its own end, which comes before its command's.
  const auto* launch = std::get_if<Launch>(&node.command());
  if (!launch || !launch->kernel->info().enqueues) node.setTimes(running.startedAt, device_.now());
  if (status < 0) node.complete(status);
  free(running.stream);
  advance();
  if (status >= 0) node.complete(status);
}

void Streams::advance() noexcept {
  for (Running next = takeNext(); next.node; next = takeNext()) {
    Node& node = *next.node;
    if (!node.isToFail() && device_.isAvailable()) {
      static_cast<CpuQueue*>(node.deviceQueue())->start(node);
      continue;
    }
    node.complete(device_.isAvailable() ? CL_COMPLETE : CL_OUT_OF_RESOURCES);
    free(next.stream);
  }
}

Streams::Running Streams::takeNext() noexcept {
  const std::uint64_t now = device_.now();
  MutexLock lock(mutex_);
  for (Stream* stream = first_; stream; stream = stream->next) {
    if (!mayBegin(*stream)) continue;
    stream->running = stream->first->node;
    stream->first = stream->first->next;
    stream->startedAt = now;
    return {stream->running, stream->number, now};
  }
  return {};
}

Streams::Running Streams::find(const Node& node) noexcept {
  MutexLock lock(mutex_);
  Stream* stream = first_;
  while (stream->running != &node)
    stream = stream->next;
  return {stream->running, stream->number, stream->startedAt};
}

void Streams::free(std::uint32_t number) noexcept {
  MutexLock lock(mutex_);
  for (Stream* stream = first_; stream; stream = stream->next) {
    if (stream->number != number) continue;
    stream->running = nullptr;
    ++stream->ended;
  }
}

bool Streams::mayBegin(const Stream& stream) const noexcept {
  if (stream.running || !stream.first || !stream.first->isIssued) return false;
  bool mayBegin = true;
  const Stream* const all = first_;
  stream.first->node->forEachIssuedPredecessor(
      [&](std::uint64_t ticket) { mayBegin = mayBegin && hasEnded(all, ticket); });
  return mayBegin;
}

// --- A queue ---

StreamQueue::StreamQueue(CpuDevice& device, CpuShare* share, const QueueTraits& traits)
    : CpuQueue(device, share, &device), streams_(device.streams()), count_(traits.isInOrder ? 1 : kOutOfOrderStreams) {
  for (std::uint32_t i = 0; i < count_; ++i)
    streams_.add(own_[i]);
}

StreamQueue::~StreamQueue() {
  for (std::uint32_t i = 0; i < count_; ++i)
    streams_.remove(own_[i]);
}

void StreamQueue::start(Node& node, WorkList& ready) noexcept {
  if (!device().isAvailable()) return node.complete(CL_OUT_OF_RESOURCES, ready);
  if (!node.isStreamed()) return CpuQueue::start(node);
  const std::uint32_t turn = turn_.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t ticket = streams_.append(own_[turn % count_], node);
  node.issued(ticket, ready);
  streams_.issued(node);
}

void StreamQueue::complete(Node& node, cl_int status) noexcept {
  if (!device().isAvailable()) status = CL_OUT_OF_RESOURCES;
  if (node.isStreamed())
    streams_.ended(node, status);
  else
    node.complete(status);
}

} // namespace clotho::cpu
