// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/join/pmi1.hpp"

#include "base/text_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace clotho::node {

std::map<std::string, std::string> parsePmi1(std::string_view line) {
  std::map<std::string, std::string> result;
  while (!line.empty()) {
    const std::size_t equals = line.find('='), blank = line.find(' ');
    if (blank < equals) {
      line.remove_prefix(blank + 1);
      continue;
    }
    if (equals == std::string_view::npos) break;
    const std::string name(line.substr(0, equals));
    line.remove_prefix(equals + 1);
    const std::size_t end = std::min(line.find(' '), line.size());
    result[name] = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return result;
}

std::unique_ptr<Launcher> Pmi1Launcher::open(UniqueFd socket, std::uint32_t rank, std::uint32_t size,
                                             std::string& why) {
  std::unique_ptr<Pmi1Launcher> launcher(new Pmi1Launcher(std::move(socket), rank, size));
  fcntl(launcher->socket_.get(), F_SETFD, FD_CLOEXEC);
  why = "the launcher does not talk PMI-1";
  if (!launcher->ask("init pmi_version=1 pmi_subversion=1", "response_to_init")) return nullptr;
  auto limits = launcher->ask("get_maxes", "maxes"), space = launcher->ask("get_my_kvsname", "my_kvsname");
  if (!limits || !space || (*space)["kvsname"].empty()) return nullptr;
  launcher->space_ = (*space)["kvsname"];
  launcher->mostBytes_ = static_cast<std::size_t>(parseNumber((*limits)["vallen_max"]).value_or(0));
  why.clear();
  return launcher;
}

std::optional<std::vector<std::string>> Pmi1Launcher::exchange(const std::string& own) {
  if (own.size() >= mostBytes_) return std::nullopt;
  const std::string key = "clotho-" + std::to_string(exchanges_++) + "-";
  if (!ask("put kvsname=" + space_ + " key=" + key + std::to_string(rank_) + " value=" + own, "put_result") ||
      !ask("barrier_in", "barrier_out"))
    return std::nullopt;
  std::vector<std::string> texts;
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    auto got = ask("get kvsname=" + space_ + " key=" + key + std::to_string(rank), "get_result");
    if (!got || !got->contains("value")) return std::nullopt;
    texts.push_back((*got)["value"]);
  }
  return texts;
}

void Pmi1Launcher::finish() noexcept {
  static_cast<void>(ask("finalize", "finalize_ack"));
  socket_.reset();
}

std::optional<std::map<std::string, std::string>> Pmi1Launcher::ask(const std::string& command,
                                                                    std::string_view answer) {
  const std::string line = "cmd=" + command + '\n';
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t count = retryInterrupted([&] { return write(socket_.get(), rest.data(), rest.size()); });
    if (count <= 0) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  const std::optional<std::string> reply = readLine();
  if (!reply) return std::nullopt;
  std::map<std::string, std::string> pairs = parsePmi1(*reply);
  if (pairs["cmd"] != answer || (pairs.contains("rc") && pairs["rc"] != "0")) return std::nullopt;
  return pairs;
}

std::optional<std::string> Pmi1Launcher::readLine() {
  constexpr std::size_t kLongest = std::size_t{1} << 16;
  for (;;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    char bytes[1024];
    const ssize_t count = retryInterrupted([&] { return read(socket_.get(), bytes, sizeof bytes); });
    if (count <= 0 || unread_.size() > kLongest) return std::nullopt;
    unread_.append(bytes, static_cast<std::size_t>(count));
  }
}

} // namespace clotho::node
