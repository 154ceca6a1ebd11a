// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/sequence_copy.hpp"

#include "device/cluster/encode.hpp"
#include "device/cluster/session.hpp"

#include <algorithm>
#include <memory>

namespace clotho::cluster {

SequenceCopy::SequenceCopy(Session& session, const Sequence& sequence)
    : session_(session), commands_(sequence.commands.begin(), sequence.commands.end()), name_(session.nextName()) {}

SequenceCopy::~SequenceCopy() { static_cast<void>(session_.tell(ForgetSequence{name_})); }

bool SequenceCopy::isOf(const Session& session, const Sequence& sequence) const {
  return &session_ == &session && std::ranges::equal(commands_, sequence.commands);
}

bool SequenceCopy::record(HomeId home) const {
  return std::ranges::all_of(commands_, [&](const Ref<RecordedCommand>& each) {
    return session_.tell(RecordCommand{name_, encode(each->command(), home)});
  });
}

// Runs that the node has been told of keep their sequence there, so a copy may be forgotten at any time.
std::uint64_t SequenceCopy::nameOf(Session& session, const Sequence& sequence, HomeId home) {
  PreparedSequence& place = *sequence.prepared;
  std::unique_ptr<PreparedCommand> former;
  MutexLock lock(place.mutex);
  if (const auto* known = dynamic_cast<const SequenceCopy*>(place.prepared.get());
      known && known->isOf(session, sequence))
    return known->name_;
  std::unique_ptr<SequenceCopy> fresh(new SequenceCopy(session, sequence));
  if (!fresh->record(home)) return 0;
  former = std::exchange(place.prepared, std::move(fresh));
  return static_cast<const SequenceCopy*>(place.prepared.get())->name_;
}

} // namespace clotho::cluster
