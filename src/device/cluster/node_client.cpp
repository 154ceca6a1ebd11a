// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/node_client.hpp"

#include "base/log.hpp"
#include "base/options.hpp"
#include "cluster/frames.hpp"
#include "device/cluster/own_node.hpp"

#include <limits>
#include <string_view>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace clotho::cluster {

std::optional<NodeClient> NodeClient::fromOptions() {
  constexpr std::string_view kLocal = "local:";
  const std::string& where = options().cluster;
  if (where.empty()) return std::nullopt;
  if (!where.starts_with(kLocal)) {
    std::string problem;
    std::optional<NodeClient> client = ofServices(where, problem);
    if (!problem.empty()) CLOTHO_LOG(Device, Error, "CLOTHO_CLUSTER: %s", problem.c_str());
    return client;
  }
  if (where.size() == kLocal.size()) {
    CLOTHO_LOG(Device, Error, "CLOTHO_CLUSTER: '%s' is not local:NAME", where.c_str());
    return std::nullopt;
  }
  const std::optional<Token> token = Token::parse(options().clusterToken);
  if (!token) {
    CLOTHO_LOG(Device, Error, "CLOTHO_CLUSTER_TOKEN does not have 64 hexadecimal digits");
    return std::nullopt;
  }
  return NodeClient(where.substr(kLocal.size()), *token);
}

std::optional<NodeClient> NodeClient::ofServices(const std::string& services, std::string& problem) {
  const std::optional<OwnNode> node = startOwnNode(services, problem);
  return node ? std::optional(NodeClient(node->name, node->token)) : std::nullopt;
}

UniqueFd NodeClient::connect(std::string& why) const {
  Failure ignored{};
  return connect(why, ignored);
}

UniqueFd NodeClient::connect(std::string& why, Failure& failure) const {
  failure = Failure::Gone;
  UniqueFd fd = connectTo(name_);
  if (!fd) {
    if (errno != ECONNREFUSED) failure = Failure::Transient;
    why = "there is none of this name: " + std::generic_category().message(errno);
    return {};
  }
  // Another user could have taken the name of a node that has ended.
  if (!peerOf(fd.get()).isOfSameUser) {
    why = "it belongs to another user";
    return {};
  }
  switch (introduce(fd.get(), token_)) {
  case Verdict::Welcome: return fd;
  case Verdict::Refused: why = "it refuses the token"; break;
  case Verdict::OtherVersion: why = "it is of another version of Clotho"; break;
  case Verdict::Silent:
    failure = Failure::Transient;
    why = "it does not answer";
    break;
  }
  return {};
}

template <class Answer>
std::optional<Answer> NodeClient::ask(const Question& question, int patienceMs, std::string& why) const {
  const UniqueFd fd = connect(why);
  if (!fd) return std::nullopt;
  std::optional<Answer> answer;
  if (sendFields(fd.get(), question, kPatienceMs)) answer = receiveFields<Answer>(fd.get(), patienceMs);
  if (!answer) why = "it does not answer";
  return answer;
}

std::optional<DeviceList> NodeClient::devices(std::string& why) const {
  return ask<DeviceList>(ListDevices{}, kPatienceMs, why);
}

std::optional<ClusterStatus> NodeClient::status(std::string& why) const {
  return ask<ClusterStatus>(AskStatus{}, kAnswerPatienceMs, why);
}

std::optional<NodeClient::Opened> NodeClient::open(const OpenSession& question, std::string& why,
                                                   Failure& failure) const {
  Link::Parts parts;
  parts.socket = connect(why, failure);
  const int socket = parts.socket.get();
  if (socket < 0) return std::nullopt;
  failure = Failure::Transient;
  std::optional<SessionOpened> opened;
  if (sendFields(socket, Question(question), kPatienceMs))
    opened = receiveFields<SessionOpened>(socket, kAnswerPatienceMs);
  if (!opened || !opened->why.empty()) {
    if (opened && opened->wantsOtherAddresses) failure = Failure::Addresses;
    why = opened ? opened->why : "it does not answer";
    return std::nullopt;
  }
  const UniqueFd area = receiveDescriptor(socket, 0);
  // A network may be slower than the program, whose commands take memory anyway. A node that stands still shows no
  // beat.
  parts.mostWaiting = std::numeric_limits<std::size_t>::max();
  parts.ownEvent = makeEvent();
  SharedArea mapped = SharedArea::map(area);
  if (!mapped || !parts.ownEvent) {
    why = "what it offers for messages is of no use";
    return std::nullopt;
  }
  parts.peerProcess = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, peerOf(socket).process, 0)));
  parts.area = std::move(mapped);
  parts.peerProcess = aboveLowNumbers(std::move(parts.peerProcess));
  return Opened{std::move(parts), opened->session, opened->window, opened->node};
}

} // namespace clotho::cluster
