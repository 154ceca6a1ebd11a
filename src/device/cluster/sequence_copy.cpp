// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/sequence_copy.hpp"

#include "device/cluster/encode.hpp"
#include "device/cluster/session.hpp"

#include <algorithm>
#include <memory>

namespace clotho::cluster {

SequenceName::SequenceName(Session& session, std::span<const Ref<RecordedCommand>> commands)
    : session_(session), number_(session.nextName()), commands_(commands.begin(), commands.end()) {}

// Runs that the node has been told of keep their sequence there.
SequenceName::~SequenceName() { static_cast<void>(session_.tell(ForgetSequence{number_})); }

bool SequenceName::isOf(const Session& session, const Sequence& sequence) const {
  return &session_ == &session && std::ranges::equal(commands_, sequence.commands);
}

bool SequenceName::record(HomeId home) const {
  return std::ranges::all_of(commands_, [&](const Ref<RecordedCommand>& each) {
    return session_.tell(RecordCommand{number_, encode(each->command(), home)});
  });
}

std::shared_ptr<const SequenceName> SequenceCopy::nameOf(Session& session, const Sequence& sequence, HomeId home) {
  PreparedSequence& place = *sequence.prepared;
  std::unique_ptr<PreparedCommand> former;
  MutexLock lock(place.mutex);
  if (const auto* known = dynamic_cast<const SequenceCopy*>(place.prepared.get());
      known && known->name_->isOf(session, sequence))
    return known->name_;
  auto name = std::make_shared<const SequenceName>(session, sequence.commands);
  if (!name->record(home)) return nullptr;
  former = std::exchange(place.prepared, std::unique_ptr<SequenceCopy>(new SequenceCopy(name)));
  return name;
}

} // namespace clotho::cluster
