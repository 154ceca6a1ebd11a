// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/addresses.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>

namespace clotho::node {
namespace {

in_addr addressOfText(const char* text) {
  in_addr result{};
  EXPECT_EQ(inet_pton(AF_INET, text, &result), 1);
  return result;
}

TEST(AddressesTest, ReadsHostsAndPorts) {
  const auto hosts = parseHosts("fox,10.0.0.7:4000,loom-2.example.org:1");
  ASSERT_TRUE(hosts);
  ASSERT_EQ(hosts->size(), 3u);
  EXPECT_EQ(hosts->at(0).host, "fox");
  EXPECT_EQ(hosts->at(0).port, kServicePort);
  EXPECT_EQ(hosts->at(1).host, "10.0.0.7");
  EXPECT_EQ(hosts->at(1).port, 4000);
  EXPECT_EQ(hosts->at(2).host, "loom-2.example.org");
  EXPECT_EQ(hosts->at(2).port, 1);
}

TEST(AddressesTest, RefusesWhatIsNoHost) {
  for (const char* text : {"", ",", "fox,", "fox:", ":1", "fox:0", "fox:65536", "fox:1x", "fox:-1", "fox: 1", "fo x",
                           "fox;rm", "[::1]:1", "a:1:2", "local:/x"})
    EXPECT_FALSE(parseHosts(text)) << text;
  EXPECT_TRUE(parseHostPort("fox:0")) << "a service may take any port";
}

TEST(AddressesTest, KnowsTheLoopbackInterface) {
  EXPECT_EQ(interfaceOf(addressOfText("127.0.0.1")), "lo");
  EXPECT_EQ(interfaceOf(addressOfText("127.1.2.3")), "lo");
  EXPECT_EQ(interfaceOf(addressOfText("192.0.2.1")), "") << "an address of documents";
  const auto loopback = addressOf("lo");
  ASSERT_TRUE(loopback);
  EXPECT_EQ(textOf(socketAddress(*loopback, 7)), "127.0.0.1:7");
  EXPECT_FALSE(addressOf("no-such-net"));
  const auto own = ownAddressTowards(*loopback);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->s_addr, loopback->s_addr);
}

TEST(AddressesTest, ListensAtOneAddressAlone) {
  const UniqueFd listener = listenAt(socketAddress(addressOfText("127.0.0.1"), 0));
  ASSERT_TRUE(listener);
  const sockaddr_in address = ownAddressOf(listener.get());
  EXPECT_EQ(textOf(address).find("127.0.0.1:"), 0u);
  EXPECT_NE(address.sin_port, 0);
  EXPECT_FALSE(listenAt(socketAddress(addressOfText("192.0.2.1"), 0))) << "not an address of this machine";
}

} // namespace
} // namespace clotho::node
