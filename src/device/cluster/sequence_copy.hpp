// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/command.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace clotho::cluster {

class Session;

/// A number under which a node knows a sequence, until this is destroyed.
class SequenceName {
 public:
  explicit SequenceName(Session& session);
  ~SequenceName();
  SequenceName(const SequenceName&) = delete;
  SequenceName& operator=(const SequenceName&) = delete;

  std::uint64_t number() const { return number_; }

 private:
  Session& session_;
  const std::uint64_t number_;
};

/// A node's copy of the sequence at one place of a plan, for all of its runs: a run is one message. An update of the
/// command buffer makes another copy.
class SequenceCopy final : public PreparedCommand {
 public:
  /// The name of the sequence, which the node is told first if it does not know it; null if it cannot be told. Another
  /// thread may replace the copy at any time, so keep the name until the run has been sent. `home`: of the device's
  /// memory. Throws bad_alloc.
  static std::shared_ptr<const SequenceName> nameOf(Session& session, const Sequence& sequence, HomeId home);

 private:
  SequenceCopy(Session& session, const Sequence& sequence);
  bool isOf(const Session& session, const Sequence& sequence) const;
  bool record(HomeId home) const;

  Session& session_;
  const std::vector<Ref<RecordedCommand>> commands_;
  const std::shared_ptr<const SequenceName> name_;
};

} // namespace clotho::cluster
