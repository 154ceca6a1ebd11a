// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/peer.hpp"

#include "base/log.hpp"
#include "base/overloaded.hpp"

#include <algorithm>
#include <variant>

namespace clotho::node {

namespace {

/// Whether it may be a machine's name, as logs and names of devices show it.
bool isName(const std::string& text) {
  constexpr std::size_t kMost = 255;
  return !text.empty() && text.size() <= kMost &&
         std::ranges::all_of(text, [](unsigned char each) { return each > ' ' && each < 127; });
}

Greeting makeGreeting(Peer::Part part, const Peer::Self& self) {
  Greeting::Hello hello;
  const std::optional<cluster::Token> nonce = cluster::Token::make();
  // Without random numbers there is no greeting: the other side takes number 0 for nonsense.
  hello.node = nonce ? self.node : 0;
  if (nonce) hello.nonce = nonce->bytes();
  return {part, hello, self.token};
}

} // namespace

Peer::Peer(UniqueFd socket, Part part, const Self& self, Outcome outcome)
    : self_(self), part_(part), connection_(std::move(socket), makeGreeting(part, self), part),
      outcome_(std::move(outcome)) {}

Peer::~Peer() { report("it is gone"); }

void Peer::report(const std::string& why) {
  if (outcome_) std::exchange(outcome_, nullptr)(why);
}

void Peer::advance(Others& others) {
  if (connection_.isAdmitted() && !isIntroduced_) introduce(others);
  while (const std::optional<Connection::Incoming> incoming = isIntroduced_ ? connection_.next() : std::nullopt)
    handle(others, *incoming);
  if (hasJoined()) report("");
  if (isMeeting_) endMeeting(others);
  checkTimes();
  if (link_ && link_->isBroken()) close("messages do not reach it");
  if (!connection_.isOpen()) finish();
}

// The later one of two connections to one node is closed by the node that has called, if it has joined the other one
// by the earlier one. If it has not, the earlier one has been lost there, as it soon is here; then the node joins anew.
void Peer::introduce(Others& others) {
  if (others.isKnown(*this) && (part_ == Part::Called || !others.hasJoined(connection_.peer()))) {
    isWaiting_ = true;
    return;
  }
  isIntroduced_ = true;
  const std::optional<cluster::Token> key = cluster::Token::make();
  if (others.isKnown(*this)) {
    report("");
    close("it has joined already");
  } else if (!key) {
    close("there are no random numbers");
  } else {
    ownKey_ = *key;
    const auto& bytes = key->bytes();
    connection_.send(
        Introduction{self_.host, self_.address, std::string(bytes.begin(), bytes.end()), self_.workerAddress});
  }
}

void Peer::handle(Others& others, const Connection::Incoming& incoming) {
  std::visit(Overloaded{[&](const ControlFrame& frame) { handle(others, frame); },
                        [&](const Connection::Message& message) {
                          self_.receiver->received(connection_.peer(), message.text, message.payloadSize);
                        }},
             incoming);
}

void Peer::handle(Others& others, const ControlFrame& frame) {
  std::visit(Overloaded{[&](const Introduction& introduction) { handle(others, introduction); },
                        [&](const Ready&) {
                          if (link_) link_->greet();
                        },
                        [](const Beat&) {}, [&](const Leave&) { hasLeft_ = true; },
                        [&](const Meet& meet) { beginMeeting(others, meet); },
                        [&](const Met& met) {
                          if (meeting_) std::exchange(meeting_, nullptr)(met.haveAllJoined);
                        }},
             frame);
}

void Peer::handle(Others& others, const Introduction& introduction) {
  std::array<std::uint8_t, cluster::Token::kBytes> key{};
  if (link_ || hasJoined_ || !ownKey_ || introduction.key.size() != key.size() || !isName(introduction.host)) {
    close("it says what makes no sense");
    return;
  }
  std::ranges::copy(introduction.key, key.begin());
  address_ = introduction.address;
  host_ = introduction.host;
  // Its messages come behind its introduction, and this one's behind its own.
  if (!self_.worker || introduction.worker.empty()) {
    hasJoined_ = true;
    connection_.takeMessages([this](std::string_view text, std::size_t size) {
      return self_.receiver->placeFor(connection_.peer(), text, size);
    });
    others.joins(*this);
    self_.receiver->joined(connection_.peer(), host_);
    return;
  }
  link_.emplace(*self_.worker, UcxLink::Ends{self_.node, connection_.peer(), *ownKey_, cluster::Token::of(key), host_},
                introduction.worker, *self_.receiver);
  connection_.send(Ready{});
}

void Peer::beat() {
  if (isIntroduced_) connection_.send(Beat{});
}

void Peer::leave() {
  hasLeft_ = true;
  if (isIntroduced_) connection_.send(Leave{});
  close("this node ends");
}

void Peer::meet(Meet meet, Meeting meeting) {
  meeting_ = std::move(meeting);
  endOfMeet_ = Clock::now() + kMeeting + kPatience;
  connection_.send(std::move(meet));
}

// The other one of two nodes, with the greater number, waits for the call.
void Peer::beginMeeting(Others& others, const Meet& meet) {
  if (isMeeting_ || meet.nodes.size() > kMostMeeting) {
    close("it says what makes no sense");
    return;
  }
  isMeeting_ = true;
  endOfMeeting_ = Clock::now() + kMeeting;
  toJoin_.clear();
  for (const KnownNode& known : meet.nodes) {
    if (known.node == self_.node) continue;
    toJoin_.push_back(known.node);
    if (self_.node < known.node) others.call(known);
  }
}

void Peer::endMeeting(Others& others) {
  const bool haveAllJoined = std::ranges::all_of(toJoin_, [&](NodeId node) { return others.hasJoined(node); });
  if (!haveAllJoined && Clock::now() < endOfMeeting_) return;
  isMeeting_ = false;
  connection_.send(Met{haveAllJoined});
}

void Peer::checkTimes() {
  const Clock::time_point now = Clock::now();
  const auto patience = part_ == Part::Caller || isWaiting_ ? kCallerPatience : kPatience;
  if (!hasJoined() && now - begin_ > patience)
    close(link_ ? "messages do not reach it" : "it does not answer");
  else if (hasJoined() && now - connection_.lastHeard() > kSilence)
    close("it is silent");
  if (meeting_ && now > endOfMeet_) std::exchange(meeting_, nullptr)(/*haveAllJoined=*/false);
}

void Peer::finish() {
  report(connection_.why());
  if (meeting_) std::exchange(meeting_, nullptr)(/*haveAllJoined=*/false);
  if (link_) link_->close();
  if (isOver_ || (link_ && !link_->isClosed())) return;
  isOver_ = true;
  if (link_ ? !link_->hasJoined() : !hasJoined_) return;
  if (!hasLeft_) CLOTHO_LOG(Device, Info, "the node on %s is gone: %s", host_.c_str(), connection_.why().c_str());
  self_.receiver->lost(connection_.peer());
}

} // namespace clotho::node
