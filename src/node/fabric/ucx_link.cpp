// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/ucx_link.hpp"

#include "base/log.hpp"

#include <cstring>
#include <utility>

namespace clotho::node {

using State = OrderedInbox::State;

/// A part of a message on its way out: what UCX reads until it says that it has sent it.
struct UcxLink::Outgoing {
  UcxLink& link;
  std::string header;
  std::string text{};
  Payload payload{};
};

/// Bytes on their way into memory of this process.
struct UcxLink::Fetch {
  UcxLink& link;
  std::uint64_t number;
  bool isPayload;
};

namespace {

std::string textOf(const PartHeader& header, std::string_view behind = {}) {
  std::string result(reinterpret_cast<const char*>(&header), sizeof header);
  return result.append(behind);
}

ucp_request_param_t parametersFor(void* owner) {
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  parameters.user_data = owner;
  parameters.memory_type = UCS_MEMORY_TYPE_HOST;
  return parameters;
}

} // namespace

UcxLink::UcxLink(UcxWorker& worker, const Ends& ends, const std::string& address, Fabric::Receiver& receiver)
    : worker_(worker), ends_(ends), receiver_(receiver) {
  ucp_ep_params_t parameters{};
  parameters.field_mask =
      UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  parameters.address = reinterpret_cast<const ucp_address_t*>(address.data());
  parameters.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  parameters.err_handler = {&UcxLink::failed, this};
  if (const ucs_status_t status = ucp_ep_create(worker_.get(), &parameters, &endpoint_); status != UCS_OK) {
    CLOTHO_LOG(Device, Error, "no way to the node on %s: %s", ends_.peerHost.c_str(), ucs_status_string(status));
    isBroken_ = true;
  }
}

void UcxLink::greet() {
  if (!std::exchange(hasGreeted_, true)) send({}, {});
}

void UcxLink::send(std::string_view text, Payload payload) {
  if (isBroken_) return;
  PartHeader header{
      .from = ends_.self, .key = ends_.peerKey.bytes(), .number = sentMessages_++, .payloadSize = payload.bytes.size()};
  if (sizeof header + text.size() <= worker_.mostHeader()) {
    post(new Outgoing{*this, textOf(header, text), {}, std::move(payload)});
    return;
  }
  header.kind = PartHeader::Kind::Text;
  post(new Outgoing{*this, textOf(header), std::string(text), {}});
  header.kind = PartHeader::Kind::Payload;
  if (!payload.bytes.empty()) post(new Outgoing{*this, textOf(header), {}, std::move(payload)});
}

void UcxLink::post(Outgoing* outgoing) {
  ucp_request_param_t parameters = parametersFor(outgoing);
  parameters.cb.send = &UcxLink::sent;
  const std::string& text = outgoing->text;
  const auto data = text.empty() ? outgoing->payload.bytes : std::as_bytes(std::span(text));
  ++sending_;
  void* request = ucp_am_send_nbx(endpoint_, UcxWorker::kMessageId, outgoing->header.data(), outgoing->header.size(),
                                  data.data(), data.size(), &parameters);
  if (!UCS_PTR_IS_PTR(request)) sent(nullptr, UCS_PTR_STATUS(request), outgoing);
}

void UcxLink::sent(void* request, ucs_status_t status, void* outgoing) noexcept {
  const std::unique_ptr<Outgoing> done(static_cast<Outgoing*>(outgoing));
  if (request) ucp_request_free(request);
  if (status != UCS_OK) done->link.isBroken_ = true;
  --done->link.sending_;
}

void UcxLink::failed(void* self, ucp_ep_h, ucs_status_t) noexcept { static_cast<UcxLink*>(self)->isBroken_ = true; }

bool UcxLink::arrived(const ArrivedPart& part) {
  const PartHeader& header = part.header;
  if (isBroken_ || !cluster::Token::of(header.key).equals(ends_.ownKey)) return false;
  // A short message that is next needs no room in the inbox.
  if (header.kind == PartHeader::Kind::Whole && part.size == 0 && header.payloadSize == 0 &&
      inbox_.isNext(header.number)) {
    inbox_.skip();
    handOver(part.text, 0);
    return false;
  }
  const bool isPayload = header.kind == PartHeader::Kind::Payload;
  const std::size_t room = header.kind == PartHeader::Kind::Whole ? part.text.size() : isPayload ? 0 : part.size;
  OrderedInbox::Message* message = inbox_.at(header.number, room);
  if (!message || !accept(part, *message)) {
    isBroken_ = true;
    return false;
  }
  // What is being fetched belongs to UCX again.
  const bool isKept = part.isRemote && message->payloadState == State::Held && message->held == part.data;
  handOver();
  return isKept;
}

bool UcxLink::accept(const ArrivedPart& part, OrderedInbox::Message& message) {
  const PartHeader& header = part.header;
  const bool hasText = header.kind != PartHeader::Kind::Payload, hasPayload = header.kind != PartHeader::Kind::Text;
  if ((hasText && message.textState != State::Missing) || (hasPayload && message.payloadState != State::Missing) ||
      (hasPayload && part.size != header.payloadSize) || header.kind > PartHeader::Kind::Payload)
    return false;
  const bool isFirst = message.textState == State::Missing && message.payloadState == State::Missing;
  if (!isFirst && message.payloadSize != header.payloadSize) return false;
  message.payloadSize = header.payloadSize;
  if (hasPayload && part.size != 0) {
    message.payloadState = State::Held;
    if (part.isRemote) message.held = part.data;
  }
  if (header.kind == PartHeader::Kind::Whole) {
    message.text = part.text;
    message.textState = State::Here;
  } else if (hasText) {
    if (part.size > OrderedInbox::kMostText) return false;
    beginText(part, message);
    return true;
  }
  const std::string_view bytes(static_cast<const char*>(part.data), part.isRemote ? 0 : part.size);
  if (message.textState == State::Here)
    beginPayload(header.number, message, bytes);
  else
    message.early = bytes;
  return true;
}

void UcxLink::beginText(const ArrivedPart& part, OrderedInbox::Message& message) {
  message.textState = State::Coming;
  message.text.resize(part.size);
  if (part.isRemote) {
    fetch(part.data, reinterpret_cast<std::byte*>(message.text.data()), part.size, part.header.number, false);
    return;
  }
  std::memcpy(message.text.data(), part.data, part.size);
  fetched(part.header.number, /*isPayload=*/false);
}

void UcxLink::beginPayload(std::uint64_t number, OrderedInbox::Message& message, std::string_view bytes) {
  if (message.payloadState != State::Held || isBroken_) return;
  std::byte* const place = receiver_.placeFor(ends_.peer, message.text, message.payloadSize);
  if (!place) {
    isBroken_ = true;
    return;
  }
  if (message.held) {
    message.payloadState = State::Coming;
    fetch(std::exchange(message.held, nullptr), place, message.payloadSize, number, /*isPayload=*/true);
    return;
  }
  std::memcpy(place, bytes.data(), bytes.size());
  message.payloadState = State::Here;
}

void UcxLink::fetch(void* data, std::byte* to, std::size_t size, std::uint64_t number, bool isPayload) {
  auto* const owner = new Fetch{*this, number, isPayload};
  ucp_request_param_t parameters = parametersFor(owner);
  parameters.cb.recv_am = &UcxLink::fetched;
  ++fetching_;
  void* request = ucp_am_recv_data_nbx(worker_.get(), data, to, size, &parameters);
  if (!UCS_PTR_IS_PTR(request)) fetched(nullptr, UCS_PTR_STATUS(request), size, owner);
}

void UcxLink::fetched(void* request, ucs_status_t status, std::size_t, void* fetch) noexcept {
  const std::unique_ptr<Fetch> done(static_cast<Fetch*>(fetch));
  if (request) ucp_request_free(request);
  UcxLink& link = done->link;
  --link.fetching_;
  if (status != UCS_OK) link.isBroken_ = true;
  if (link.isBroken_) return;
  link.fetched(done->number, done->isPayload);
  if (request) link.handOver(); // else a caller does it, which uses the message
}

void UcxLink::fetched(std::uint64_t number, bool isPayload) {
  OrderedInbox::Message* message = inbox_.at(number, 0);
  if (!message) {
    isBroken_ = true;
    return;
  }
  (isPayload ? message->payloadState : message->textState) = State::Here;
  if (!isPayload) beginPayload(number, *message, message->early);
}

void UcxLink::handOver() {
  while (const OrderedInbox::Message* message = isBroken_ ? nullptr : inbox_.front()) {
    handOver(message->text, message->payloadSize);
    inbox_.pop();
  }
}

// The first message says nothing but that the other node can be heard.
void UcxLink::handOver(std::string_view text, std::size_t payloadSize) {
  if (hasJoined_) {
    receiver_.received(ends_.peer, text, payloadSize);
    return;
  }
  hasJoined_ = true;
  greet();
  receiver_.joined(ends_.peer, ends_.peerHost);
}

void UcxLink::close() noexcept {
  if (std::exchange(isClosing_, true)) return;
  isBroken_ = true;
  inbox_.forEach([&](OrderedInbox::Message& message) {
    if (message.held) ucp_am_data_release(worker_.get(), std::exchange(message.held, nullptr));
  });
  if (!endpoint_) return;
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  parameters.flags = UCP_EP_CLOSE_FLAG_FORCE;
  parameters.user_data = this;
  parameters.cb.send = [](void* request, ucs_status_t, void* self) noexcept {
    ucp_request_free(request);
    static_cast<UcxLink*>(self)->isEndpointClosing_ = false;
  };
  isEndpointClosing_ = UCS_PTR_IS_PTR(ucp_ep_close_nbx(std::exchange(endpoint_, nullptr), &parameters));
}

} // namespace clotho::node
