// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/command.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace clotho::cluster {

class Session;

/// A number under which a node knows a sequence, until this is destroyed. The node keeps what the sequence uses as long
/// as it knows it, so this does, too: memory that was freed before might have the addresses of new objects already.
class SequenceName {
 public:
  SequenceName(Session& session, std::span<const Ref<RecordedCommand>> commands);
  ~SequenceName();
  SequenceName(const SequenceName&) = delete;
  SequenceName& operator=(const SequenceName&) = delete;

  std::uint64_t number() const { return number_; }
  /// Tells the node what the number stands for; false if it cannot be told. Throws bad_alloc.
  bool record(HomeId home) const;
  bool isOf(const Session& session, const Sequence& sequence) const;

 private:
  Session& session_;
  const std::uint64_t number_;
  const std::vector<Ref<RecordedCommand>> commands_;
};

/// A node's copy of the sequence at one place of a plan, for all of its runs: a run is one message. An update of the
/// command buffer makes another copy.
class SequenceCopy final : public PreparedCommand {
 public:
  /// The name of the sequence, which the node is told first if it does not know it; null if it cannot be told. Another
  /// thread may replace the copy at any time, so keep the name until the run has been sent. `home`: of the device's
  /// memory. Throws bad_alloc.
  static std::shared_ptr<const SequenceName> nameOf(Session& session, const Sequence& sequence, HomeId home);

  bool keepsCommands() const noexcept override { return true; }

 private:
  explicit SequenceCopy(std::shared_ptr<const SequenceName> name) : name_(std::move(name)) {}

  const std::shared_ptr<const SequenceName> name_;
};

} // namespace clotho::cluster
