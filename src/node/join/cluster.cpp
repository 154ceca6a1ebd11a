// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/join/cluster.hpp"

#include "base/text_file.hpp"
#include "node/join/fabric_module.hpp"

#include <algorithm>
#include <unistd.h>

namespace clotho::node {

namespace {

constexpr const char* kNoExchange = "the launcher does not pass on the nodes' addresses";
constexpr const char* kOtherFailed = "another node has failed to join";
/// Told by a rank instead of its address or state.
constexpr const char* kFailed = "failed";

std::string hostName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

in_addr loopback() { return {htonl(INADDR_LOOPBACK)}; }

bool isLoopback(in_addr address) { return interfaceOf(address) == "lo"; }

/// This machine's address for connections with the others: the interface's, if one is named, else that on the way to
/// the first other machine.
std::optional<in_addr> ownAddress(const std::string& interface, const std::vector<in_addr>& others) {
  if (!interface.empty()) return addressOf(interface);
  const auto far = std::ranges::find_if_not(others, isLoopback);
  return far == others.end() ? loopback() : ownAddressTowards(*far);
}

std::string nameOf(const std::string& interface, in_addr address) {
  return interface.empty() ? interfaceOf(address) : interface;
}

/// What a rank says of itself first: where it runs, and from rank 0 the token.
struct RankStart {
  std::string token, host;
};

RankStart parseStart(const std::string& text) {
  const std::size_t slash = text.find('/');
  return {text.substr(0, slash), slash == std::string::npos ? "" : text.substr(slash + 1)};
}

} // namespace

void Cluster::leave(std::unique_ptr<Cluster> cluster) {
  if (cluster && cluster->mesh_) cluster->mesh_->stop();
  static_cast<void>(cluster.release());
}

bool Cluster::open(const Mesh::Options& options, const Attach& attach, std::string& why) {
  const FabricModule* module = FabricModule::load(why);
  if (!module) return false;
  mesh_ = module->openMesh(options, why);
  if (!mesh_) return false;
  membership_.passOnTo(attach(*mesh_));
  mesh_->start(membership_);
  return true;
}

std::unique_ptr<Cluster> Cluster::ofLauncher(Launcher& launcher, const std::string& interface, const Attach& attach,
                                             std::string& why) {
  const std::string host = hostName();
  const std::optional<cluster::Token> fresh = cluster::Token::make();
  const auto starts = launcher.exchange((launcher.rank() == 0 && fresh ? fresh->text() : "") + "/" + host);
  const auto token = starts ? cluster::Token::parse(parseStart(starts->front()).token) : std::nullopt;
  if (!token) {
    why = kNoExchange;
    return nullptr;
  }
  std::vector<in_addr> others;
  for (const std::string& start : *starts)
    if (const std::string other = parseStart(start).host; other != host)
      if (const std::optional<in_addr> address = resolve(other)) others.push_back(*address);
  const bool areHere = std::ranges::all_of(*starts, [&](const auto& start) { return parseStart(start).host == host; });
  const std::optional<in_addr> own =
      areHere || !others.empty() ? ownAddress(interface, others) : std::optional<in_addr>();
  if (!own) why = interface.empty() ? "there is no route to the other machines" : "there is no interface " + interface;
  std::unique_ptr<Cluster> cluster(new Cluster);
  cluster->rank_ = launcher.rank();
  // A node that fails takes part in the rest, too: the others would wait for it.
  if (own) static_cast<void>(cluster->open({*token, nameOf(interface, *own), socketAddress(*own, 0)}, attach, why));
  return cluster->joinRanks(launcher, why) ? std::move(cluster) : nullptr;
}

// Each rank calls those below it. It ends its part of the exchange when it has joined all others.
bool Cluster::joinRanks(Launcher& launcher, std::string& why) {
  constexpr std::chrono::seconds kPatience{10};
  const std::string own = mesh_ ? mesh_->address() + "/" + std::to_string(mesh_->self()) : kFailed;
  const auto texts = launcher.exchange(own);
  if (!texts) {
    why = kNoExchange;
    return false;
  }
  std::vector<std::string> addresses;
  for (const std::string& text : *texts) {
    addresses.push_back(text.substr(0, text.find('/')));
    if (why.empty() && addresses.back().size() == text.size()) why = kOtherFailed;
  }
  if (why.empty()) {
    for (std::size_t i = 0; i < texts->size(); ++i)
      nodes_.push_back(parseNumber((*texts)[i].substr(addresses[i].size() + 1)).value_or(0));
    first_ = nodes_.front();
    addresses.resize(rank_);
    for (const Mesh::Failure& failure : mesh_->join(addresses))
      why = "the node at " + failure.address + " cannot be joined: " + failure.why;
    if (why.empty() && !membership_.waitFor(launcher.size() - 1, kPatience)) why = "not all nodes have joined";
  }
  const auto states = launcher.exchange(why.empty() ? "joined" : kFailed);
  if (why.empty() && !states) why = kNoExchange;
  if (why.empty() && std::ranges::find(*states, kFailed) != states->end()) why = kOtherFailed;
  launcher.finish();
  return why.empty();
}

std::unique_ptr<Cluster> Cluster::ofServices(const std::vector<HostPort>& services, const cluster::Token& token,
                                             const std::string& interface, const Attach& attach, std::string& why) {
  const auto tell = [&](const std::string& text) { why += (why.empty() ? "" : "; ") + text; };
  std::vector<in_addr> others;
  std::vector<std::string> addresses;
  for (const HostPort& service : services) {
    const std::optional<in_addr> address = resolve(service.host);
    if (address) {
      others.push_back(*address);
      addresses.push_back(textOf(socketAddress(*address, service.port)));
    } else {
      tell(service.host + " is not known");
    }
  }
  std::ranges::sort(addresses);
  addresses.erase(std::ranges::unique(addresses).begin(), addresses.end());
  const std::optional<in_addr> own = ownAddress(interface, others);
  if (!own || addresses.empty()) {
    if (!own) tell(interface.empty() ? "there is no route to the nodes" : "there is no interface " + interface);
    return nullptr;
  }
  std::unique_ptr<Cluster> cluster(new Cluster);
  std::string problem;
  if (!cluster->open({token, nameOf(interface, *own), {}}, attach, problem)) {
    tell(problem);
    return nullptr;
  }
  const std::vector<Mesh::Failure> failures = cluster->mesh_->join(addresses);
  for (const Mesh::Failure& failure : failures)
    tell("the node at " + failure.address + " cannot be joined: " + failure.why);
  if (failures.size() == addresses.size()) return nullptr;
  if (!cluster->mesh_->meetEachOther()) tell("some nodes do not reach each other");
  cluster->nodes_ = cluster->mesh_->nodesAt(addresses);
  return cluster;
}

std::unique_ptr<Cluster> Cluster::asService(const HostPort& listen, const cluster::Token& token,
                                            const std::string& interface, const Attach& attach, std::string& why) {
  const std::optional<in_addr> address = listen.host.empty() ? addressOf(interface) : resolve(listen.host);
  if (!address) {
    why = listen.host.empty() ? "there is no interface " + interface : listen.host + " is not known";
    return nullptr;
  }
  const std::string name = interfaceOf(*address);
  if (name.empty() || (!interface.empty() && interface != name)) {
    why = listen.host + " is no address of " + (interface.empty() ? "this machine" : interface);
    return nullptr;
  }
  std::unique_ptr<Cluster> cluster(new Cluster);
  return cluster->open({token, name, socketAddress(*address, listen.port)}, attach, why) ? std::move(cluster) : nullptr;
}

} // namespace clotho::node
