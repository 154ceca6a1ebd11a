// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/cluster_queue.hpp"

#include "base/error.hpp"
#include "command/transfer.hpp"
#include "device/cluster/encode.hpp"
#include "device/cluster/sequence_copy.hpp"

#include <algorithm>
#include <memory>
#include <new>

namespace clotho::cluster {

ClusterQueue::ClusterQueue(const QueueServices& services, const QueueTraits& traits)
    : DeviceQueue(services.session.streams()), services_(services),
      number_(static_cast<std::uint32_t>(services.session.nextName())) {
  check(services_.session.tell(MakeQueue{number_, traits.isInOrder}), CL_OUT_OF_RESOURCES, "the node is lost");
}

ClusterQueue::~ClusterQueue() { static_cast<void>(services_.session.tell(DropQueue{number_})); }

bool ClusterQueue::isWithHost(const Copy& copy, bool& isWrite) const noexcept {
  isWrite = services_.window.contains(copy.target);
  return isWrite != services_.window.contains(copy.source);
}

void ClusterQueue::start(Node& node, WorkList& ready) noexcept {
  if (services_.session.isLost()) return node.complete(CL_OUT_OF_RESOURCES, ready);
  const Command& command = node.command();
  if (const auto* sequence = std::get_if<Sequence>(&command)) return startSequence(node, *sequence, ready);
  bool isWrite = false;
  const auto* copy = std::get_if<Copy>(&command);
  if (Session* const from = copy ? sourceOf(*copy) : nullptr) return startTransfer(node, *copy, *from, ready);
  if (copy && isWithHost(*copy, isWrite)) return services_.copies.start(node, number_, isWrite, ready);
  try {
    Work work = encode(command, node.home());
    services_.session.run(node, number_, std::move(work), ready);
  } catch (const std::bad_alloc&) {
    node.complete(CL_OUT_OF_HOST_MEMORY, ready);
  }
}

Session* ClusterQueue::sourceOf(const Copy& copy) const noexcept {
  const bool isComing = services_.window.contains(copy.target) && !services_.window.contains(copy.source);
  return isComing ? services_.session.peerWith(copy.source) : nullptr;
}

// Only the graph copies from one memory to another: bytes that a command needs there.
void ClusterQueue::startTransfer(Node& node, const Copy& copy, Session& from, WorkList& ready) noexcept {
  const auto addressOf = [](const std::byte* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
  Session::Followed after;
  Session::Source source{from, addressOf(copy.source), {}};
  try {
    node.forEachIssuedPredecessor(
        [&](std::uint64_t ticket, bool passesFailure) { after.emplace_back(ticket, passesFailure); });
    if (const auto* transfer = dynamic_cast<const Transfer*>(&node)) {
      source.owner = Ref<Object>(transfer->storage());
      for (const std::uint64_t ticket : transfer->tickets())
        if (std::ranges::find(after, ticket, &Session::Followed::value_type::first) == after.end())
          after.emplace_back(ticket, /*passesFailure=*/false);
    }
  } catch (const std::bad_alloc&) {
    return node.complete(CL_OUT_OF_HOST_MEMORY, ready);
  }
  services_.session.receive(node, number_, {.address = addressOf(copy.target), .size = copy.rowBytes}, source, after,
                            ready);
}

void ClusterQueue::startSequence(Node& node, const Sequence& sequence, WorkList& ready) noexcept {
  std::shared_ptr<const SequenceName> name;
  try {
    name = SequenceCopy::nameOf(services_.session, sequence, node.home());
  } catch (const std::bad_alloc&) {
    return node.complete(CL_OUT_OF_HOST_MEMORY, ready);
  }
  if (!name) return node.complete(CL_OUT_OF_RESOURCES, ready);
  services_.session.run(node, number_, RunSequence{name->number()}, ready);
}

} // namespace clotho::cluster
