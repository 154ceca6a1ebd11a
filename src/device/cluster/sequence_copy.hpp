// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/command.hpp"

#include <cstdint>
#include <vector>

namespace clotho::cluster {

class Session;

/// A node's copy of the sequence at one place of a plan, for all of its runs: a run is one message. An update of the
/// command buffer makes another copy.
class SequenceCopy final : public PreparedCommand {
 public:
  /// The number under which the node knows the sequence, which it is told first if it does not; 0 if it cannot be told.
  /// `home`: of the device's memory. Throws bad_alloc.
  static std::uint64_t nameOf(Session& session, const Sequence& sequence, HomeId home);

  ~SequenceCopy() override;

 private:
  SequenceCopy(Session& session, const Sequence& sequence);
  bool isOf(const Session& session, const Sequence& sequence) const;
  bool record(HomeId home) const;

  Session& session_;
  const std::vector<Ref<RecordedCommand>> commands_;
  const std::uint64_t name_;
};

} // namespace clotho::cluster
