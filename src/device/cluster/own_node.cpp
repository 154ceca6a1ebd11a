// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/own_node.hpp"

#include "compiler/client/channel.hpp"
#include "compiler/client/locate.hpp"
#include "compiler/client/spawn.hpp"

#include <poll.h>
#include <string_view>
#include <system_error>
#include <utility>

namespace clotho::cluster {

namespace {

/// The first words of a node that has joined: its name and token, and in a second line what is amiss.
struct Answer {
  std::optional<OwnNode> node{};
  std::string problem{};
};

Answer parseAnswer(std::string_view text) {
  Answer answer;
  const std::size_t blank = text.find(' '), end = text.find('\n');
  if (end == std::string_view::npos) return {{}, "the node does not answer"};
  answer.problem = text.substr(end + 1);
  if (blank >= end) return answer;
  if (const std::optional<Token> token = Token::parse(text.substr(blank + 1, end - blank - 1)))
    answer.node = OwnNode{std::string(text.substr(0, blank)), *token};
  return answer;
}

Answer ask(const UniqueFd& control) {
  // Nodes that do not answer are given up by then.
  constexpr int kPatienceMs = 20000;
  pollfd fd{control.get(), POLLIN, 0};
  const bool hasCome = retryInterrupted([&] { return poll(&fd, 1, kPatienceMs); }) > 0;
  return parseAnswer(hasCome ? receiveMessage(control.get(), 0).text : std::string());
}

} // namespace

std::optional<OwnNode> startOwnNode(const std::string& services, std::string& problem) {
  const std::string path = findNode();
  if (path.empty()) {
    problem = "there is no clotho-node beside the compiler";
    return std::nullopt;
  }
  SpawnedServer spawned =
      spawnServer(path, copyOfEnvironment(), /*keepsLibraryPath=*/false, {"--join", services, "attend"});
  if (!spawned.control) {
    problem = path + " could not be started: " + std::generic_category().message(spawned.error);
    return std::nullopt;
  }
  Answer answer = ask(spawned.control);
  problem = std::move(answer.problem);
  // The node ends when this is closed: with the process.
  if (answer.node) static_cast<void>(aboveLowNumbers(std::move(spawned.control)).release());
  return answer.node;
}

} // namespace clotho::cluster
