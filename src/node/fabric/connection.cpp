// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>

namespace clotho::node {

namespace {

/// Bytes that are read at once if they are no payload, and bytes of one after which other connections have their turn.
constexpr std::size_t kAtOnce = std::size_t{64} << 10, kMostInTurn = std::size_t{4} << 20;

std::string errorText(int error) { return std::generic_category().message(error); }

} // namespace

Connection::Connection(UniqueFd socket, Greeting greeting, Greeting::Part part)
    : socket_(std::move(socket)), greeting_(std::move(greeting)), isConnecting_(part == Greeting::Part::Caller),
      outbox_(std::make_shared<Outbox>(socket_.get())) {
  constexpr int kOn = 1;
  setsockopt(socket_.get(), SOL_TCP, TCP_NODELAY, &kOn, sizeof kOn);
  if (std::string hello = greeting_.takeOutput(); !hello.empty()) outbox_->add(std::move(hello));
}

short Connection::events() const {
  const bool hasOutput = isConnecting_ || outbox_->isWaiting();
  return static_cast<short>((isConnecting_ ? 0 : POLLIN) | (hasOutput ? POLLOUT : 0));
}

void Connection::handle(short events) {
  if (!isOpen()) return;
  if (isConnecting_ && events != 0) finishConnecting();
  if (isOpen() && (events & ~POLLOUT) != 0) receive();
  if (outbox_->isWaiting()) flush();
}

void Connection::finishConnecting() {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  isConnecting_ = false;
  if (error != 0) close(errorText(error));
}

// --- What comes ---

// Frames and messages are taken before more is read, since a payload goes to its place without a copy from there on.
void Connection::receive() {
  std::array<std::byte, kAtOnce> bytes;
  if (place_.empty()) {
    const std::size_t count = receiveInto(bytes);
    take({reinterpret_cast<const char*>(bytes.data()), count});
    return;
  }
  for (std::size_t left = kMostInTurn; left > 0 && !place_.empty();) {
    const std::size_t most = std::min(place_.size(), left);
    const std::size_t count =
        receiveInto(isUnwanted_ ? std::span(bytes).first(std::min(most, kAtOnce)) : place_.first(most));
    if (count == 0) return;
    place_ = place_.subspan(count);
    left -= count;
  }
}

std::size_t Connection::receiveInto(std::span<std::byte> place) {
  const ssize_t got = retryInterrupted([&] { return recv(socket_.get(), place.data(), place.size(), MSG_DONTWAIT); });
  if (got > 0) {
    lastHeard_ = Clock::now();
    return static_cast<std::size_t>(got);
  }
  if (got == 0 || errno != EAGAIN) close(got == 0 ? "it has hung up" : errorText(errno));
  return 0;
}

void Connection::take(std::string_view bytes) {
  if (!isOpen()) return;
  if (greeting_.verdict() == Greeting::Verdict::None) {
    bytes.remove_prefix(greeting_.receive(bytes));
    if (std::string answer = greeting_.takeOutput(); !answer.empty()) outbox_->add(std::move(answer));
  }
  if (isAdmitted()) {
    input_.erase(0, std::exchange(taken_, 0));
    input_ += bytes;
  } else if (greeting_.verdict() != Greeting::Verdict::None) {
    flush(); // the other node may hear why
    close(textOf(greeting_.verdict()));
  }
}

std::optional<Connection::Incoming> Connection::next() {
  std::optional<Incoming> result;
  if (!isOpen() || !place_.empty()) return result;
  if (arriving_)
    result = *std::exchange(arriving_, std::nullopt);
  else if (!parse(result))
    close("it says what makes no sense");
  return result;
}

bool Connection::parse(std::optional<Incoming>& result) {
  const std::string_view input = std::string_view(input_).substr(taken_);
  Head head;
  if (input.size() < sizeof head) return true;
  std::memcpy(&head, input.data(), sizeof head);
  const bool isMessage = head.isMessage != 0;
  if (head.size > (isMessage ? kMostText : kMostFrame) || (!isMessage && head.payloadSize != 0)) return false;
  if (input.size() < sizeof head + head.size) return true;
  const std::string_view text = input.substr(sizeof head, head.size);
  bool isRight = false;
  if (isMessage) {
    isRight = parseMessage(head, text, result);
  } else {
    ByteReader in(text);
    ControlFrame frame;
    FieldReader{in}(frame);
    isRight = in.finished();
    result = std::move(frame);
  }
  if (!isRight) {
    result.reset();
    return false;
  }
  const std::size_t end = sizeof head + head.size, here = std::min(place_.size(), input.size() - end);
  if (!isUnwanted_) std::copy_n(input.data() + end, here, reinterpret_cast<char*>(place_.data()));
  place_ = place_.subspan(here);
  taken_ += end + here;
  if (arriving_ && place_.empty()) result = *std::exchange(arriving_, std::nullopt);
  return true;
}

bool Connection::parseMessage(const Head& head, std::string_view text, std::optional<Incoming>& result) {
  if (!placeFor_) return false;
  Message message{std::string(text), head.payloadSize};
  if (head.payloadSize == 0) {
    result = std::move(message);
    return true;
  }
  std::byte* const place = placeFor_(text, head.payloadSize);
  if (!place) return false;
  place_ = {place, head.payloadSize};
  isUnwanted_ = place == unwanted();
  arriving_ = std::move(message);
  return true;
}

// --- What goes ---

void Connection::send(const ControlFrame& frame) {
  if (isOpen() && outbox_->send(frame)) flush();
}

void Connection::send(std::string_view text, const Payload& payload) {
  if (isOpen() && outbox_->send(text, payload)) flush();
}

void Connection::flush() {
  if (!isOpen() || isConnecting_) return;
  outbox_->flush();
  if (std::string why = outbox_->failure(); !why.empty()) close(std::move(why));
}

void Connection::close(std::string why) {
  if (!isOpen()) return;
  outbox_->close();
  socket_.reset();
  place_ = {};
  why_ = std::move(why);
}

} // namespace clotho::node
