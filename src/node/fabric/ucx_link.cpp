// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/ucx_link.hpp"

#include "base/log.hpp"

#include <cstring>
#include <utility>

namespace clotho::node {

namespace {

/// Bytes of a part. With TCP it comes in one piece of UCX's memory, from which it is copied once.
constexpr std::size_t kPart = std::size_t{64} << 10;

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
  if (std::exchange(hasGreeted_, true) || isBroken_) return;
  send({}, {});
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  parameters.cb.send = &UcxLink::flushed;
  parameters.user_data = this;
  isFlushing_ = true;
  void* request = ucp_ep_flush_nbx(endpoint_, &parameters);
  if (!UCS_PTR_IS_PTR(request)) flushed(nullptr, UCS_PTR_STATUS(request), this);
}

void UcxLink::flushed(void* request, ucs_status_t status, void* self) noexcept {
  auto& link = *static_cast<UcxLink*>(self);
  if (request) ucp_request_free(request);
  link.isFlushing_ = false;
  link.isConnected_ = status == UCS_OK;
  if (status != UCS_OK) link.isBroken_ = true;
  link.handOver();
}

void UcxLink::send(std::string_view text, const Payload& payload) {
  PartHeader header{.from = ends_.self,
                    .key = ends_.peerKey.bytes(),
                    .number = sentMessages_++,
                    .textSize = text.size(),
                    .payloadSize = payload.bytes.size()};
  if (sizeof header + text.size() <= worker_.mostHeader() && payload.bytes.size() <= kPart) {
    post(header, text, payload.bytes, payload.owner);
    return;
  }
  const auto copy = std::make_shared<const std::string>(text);
  header.kind = PartHeader::Kind::Text;
  postAll(header, std::as_bytes(std::span(*copy)), copy);
  header.kind = PartHeader::Kind::Payload;
  postAll(header, payload.bytes, payload.owner);
}

void UcxLink::postAll(PartHeader header, std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner) {
  for (; header.offset < bytes.size(); header.offset += kPart)
    post(header, {}, bytes.subspan(header.offset, std::min(kPart, bytes.size() - header.offset)), owner);
}

void UcxLink::post(const PartHeader& header, std::string_view text, std::span<const std::byte> data,
                   std::shared_ptr<const void> owner) {
  if (isBroken_) return;
  std::string bytes(sizeof header + text.size(), '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  text.copy(bytes.data() + sizeof header, text.size());
  waiting_.push_back({std::move(bytes), data, std::move(owner)});
  sendNext();
}

void UcxLink::sendNext() {
  ucp_request_param_t parameters{};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE |
                            UCP_OP_ATTR_FIELD_FLAGS;
  parameters.flags = UCP_AM_SEND_FLAG_EAGER;
  parameters.cb.send = &UcxLink::sent;
  parameters.user_data = this;
  parameters.memory_type = UCS_MEMORY_TYPE_HOST;
  while (!isSending_ && !isBroken_ && !waiting_.empty()) {
    const Outgoing& next = waiting_.front();
    isSending_ = true;
    void* request = ucp_am_send_nbx(endpoint_, UcxWorker::kMessageId, next.header.data(), next.header.size(),
                                    next.data.data(), next.data.size(), &parameters);
    if (UCS_PTR_IS_PTR(request)) return;
    isSending_ = false;
    if (UCS_PTR_STATUS(request) != UCS_OK) isBroken_ = true;
    waiting_.pop_front();
  }
}

void UcxLink::sent(void* request, ucs_status_t status, void* self) noexcept {
  auto& link = *static_cast<UcxLink*>(self);
  ucp_request_free(request);
  link.isSending_ = false;
  if (status != UCS_OK) link.isBroken_ = true;
  link.waiting_.pop_front();
  link.sendNext();
}

void UcxLink::failed(void* self, ucp_ep_h, ucs_status_t) noexcept { static_cast<UcxLink*>(self)->isBroken_ = true; }

void UcxLink::arrived(const ArrivedPart& part) {
  const PartHeader& header = part.header;
  if (isBroken_ || !cluster::Token::of(header.key).equals(ends_.ownKey)) return;
  // A short message that is next needs no room in the inbox.
  if (hasJoined_ && header.kind == PartHeader::Kind::Whole && header.payloadSize == 0 && part.data.empty() &&
      header.textSize == part.text.size() && inbox_.isNext(header.number)) {
    inbox_.skip();
    receiver_.received(ends_.peer, part.text, 0);
    return;
  }
  if (!accept(part)) isBroken_ = true;
  handOver();
}

bool UcxLink::accept(const ArrivedPart& part) {
  const PartHeader& header = part.header;
  if (header.kind > PartHeader::Kind::Payload || header.textSize > OrderedInbox::kMostText) return false;
  const bool isWhole = header.kind == PartHeader::Kind::Whole, isText = header.kind == PartHeader::Kind::Text;
  OrderedInbox::Message* message = inbox_.at(header.number, 0);
  if (message && !message->hasBegun) message = inbox_.at(header.number, header.textSize);
  if (!message) return false;
  if (!message->hasBegun) {
    message->hasBegun = true;
    message->text.resize(header.textSize);
    message->textLeft = header.textSize;
    message->payloadSize = message->payloadLeft = header.payloadSize;
  } else if (isWhole || message->text.size() != header.textSize || message->payloadSize != header.payloadSize) {
    return false;
  }
  const std::string_view text = isWhole ? part.text : isText ? part.data : std::string_view();
  if (header.offset > header.textSize && isText) return false;
  if (text.size() > header.textSize - (isText ? header.offset : 0) || text.size() > message->textLeft) return false;
  text.copy(message->text.data() + (isText ? header.offset : 0), text.size());
  message->textLeft -= text.size();
  if (message->textLeft == 0 && message->payloadSize != 0 && !message->place && !placePayload(*message)) return false;
  return isText || acceptPayload(*message, header.offset, part.data);
}

bool UcxLink::acceptPayload(OrderedInbox::Message& message, std::size_t offset, std::string_view data) {
  if (offset > message.payloadSize || data.size() > message.payloadSize - offset || data.size() > message.payloadLeft)
    return false;
  if (message.place == unwanted())
    ; // it is forgotten
  else if (message.place)
    data.copy(reinterpret_cast<char*>(message.place) + offset, data.size());
  else if (message.textLeft != 0)
    message.early.emplace_back(offset, data);
  message.payloadLeft -= data.size();
  return true;
}

bool UcxLink::placePayload(OrderedInbox::Message& message) {
  message.place = receiver_.placeFor(ends_.peer, message.text, message.payloadSize);
  if (!message.place) return false;
  for (const auto& [offset, data] : std::exchange(message.early, {}))
    if (message.place != unwanted()) data.copy(reinterpret_cast<char*>(message.place) + offset, data.size());
  return true;
}

// The first message says nothing but that the other node can be heard.
void UcxLink::handOver() {
  while (const OrderedInbox::Message* message = isBroken_ ? nullptr : inbox_.front()) {
    if (hasJoined_) {
      receiver_.received(ends_.peer, message->text, message->payloadSize);
    } else {
      greet();
      if (!isConnected_ || isBroken_ || hasJoined_) return;
      hasJoined_ = true;
      receiver_.joined(ends_.peer, ends_.peerHost);
    }
    inbox_.pop();
  }
}

void UcxLink::close() noexcept {
  isBroken_ = true;
  if (std::exchange(isClosing_, true)) return;
  // Parts that UCX does not have yet are forgotten.
  waiting_.erase(waiting_.begin() + (isSending_ ? 1 : 0), waiting_.end());
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
