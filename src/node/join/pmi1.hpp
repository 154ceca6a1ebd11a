// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"
#include "node/join/launcher.hpp"

#include <map>
#include <string>
#include <string_view>

namespace clotho::node {

/// A launcher that talks PMI-1 by an inherited socket: lines of NAME=VALUE pairs with blanks between, a command and an
/// answer each. MPICH's launchers do, and srun --mpi=pmi2.
class Pmi1Launcher final : public Launcher {
 public:
  /// Begins the conversation. Null, and the reason in `why`, if the launcher does not answer as it should.
  static std::unique_ptr<Launcher> open(UniqueFd socket, std::uint32_t rank, std::uint32_t size, std::string& why);

  std::uint32_t rank() const noexcept override { return rank_; }
  std::uint32_t size() const noexcept override { return size_; }
  std::optional<std::vector<std::string>> exchange(const std::string& own) override;
  void finish() noexcept override;

 private:
  Pmi1Launcher(UniqueFd socket, std::uint32_t rank, std::uint32_t size)
      : socket_(std::move(socket)), rank_(rank), size_(size) {}
  /// Sends a command, and returns what the answer says, if it is the one that is expected and says no error.
  std::optional<std::map<std::string, std::string>> ask(const std::string& command, std::string_view answer);
  std::optional<std::string> readLine();

  UniqueFd socket_;
  const std::uint32_t rank_, size_;
  std::string space_;  ///< name of the job's key-value space
  std::string unread_; ///< behind the last line
  std::size_t mostBytes_ = 0;
  unsigned exchanges_ = 0;
};

/// The pairs of a line of PMI-1. Words without '=' belong to messages for people, and are left out.
std::map<std::string, std::string> parsePmi1(std::string_view line);

} // namespace clotho::node
