// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
constant char kGreeting[] = "from a variable";
kernel void print(global int* out) {
  printf("%s|%10s|%-10s|%.2s\n", "text", "text", "text", "text");
  printf("%s %s\n", "tab\there", "quote\"d");
  if (get_global_id(0) < 2) printf("item %d of %s\n", (int)get_global_id(0), "two");
  out[get_global_id(0)] = 1;
}
