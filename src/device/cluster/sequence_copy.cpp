// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/sequence_copy.hpp"

#include "device/cluster/encode.hpp"
#include "device/cluster/session.hpp"

#include <algorithm>
#include <memory>

namespace clotho::cluster {

SequenceName::SequenceName(Session& session) : session_(session), number_(session.nextName()) {}

// Runs that the node has been told of keep their sequence there.
SequenceName::~SequenceName() { static_cast<void>(session_.tell(ForgetSequence{number_})); }

SequenceCopy::SequenceCopy(Session& session, const Sequence& sequence)
    : session_(session), commands_(sequence.commands.begin(), sequence.commands.end()),
      name_(std::make_shared<const SequenceName>(session)) {}

bool SequenceCopy::isOf(const Session& session, const Sequence& sequence) const {
  return &session_ == &session && std::ranges::equal(commands_, sequence.commands);
}

bool SequenceCopy::record(HomeId home) const {
  return std::ranges::all_of(commands_, [&](const Ref<RecordedCommand>& each) {
    return session_.tell(RecordCommand{name_->number(), encode(each->command(), home)});
  });
}

std::shared_ptr<const SequenceName> SequenceCopy::nameOf(Session& session, const Sequence& sequence, HomeId home) {
  PreparedSequence& place = *sequence.prepared;
  std::unique_ptr<PreparedCommand> former;
  MutexLock lock(place.mutex);
  if (const auto* known = dynamic_cast<const SequenceCopy*>(place.prepared.get());
      known && known->isOf(session, sequence))
    return known->name_;
  std::unique_ptr<SequenceCopy> fresh(new SequenceCopy(session, sequence));
  if (!fresh->record(home)) return nullptr;
  std::shared_ptr<const SequenceName> name = fresh->name_;
  former = std::exchange(place.prepared, std::move(fresh));
  return name;
}

} // namespace clotho::cluster
