// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of a few bytes, which are looked up in registers.
constant uchar digits[16] = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
constant char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"; // 65 with the end
constant char odd[5] = {3, -100, 7, 127, -128};

// The last of more bytes than registers hold, and of those that they do.
#define TEN(x) x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8, x + 9
#define HUNDRED TEN(0), TEN(10), TEN(20), TEN(30), TEN(40), TEN(50), TEN(60), TEN(70), TEN(80), TEN(90)
constant uchar most[128] = {HUNDRED, TEN(100), TEN(110), 120, 121, 122, 123, 124, 125, 126, 255};
constant uchar tooMany[130] = {HUNDRED, TEN(100), TEN(110), TEN(120)};

kernel void hexadecimal(global const uchar* in, global uchar* out) {
  const int i = get_global_id(0);
  out[2 * i] = digits[in[i] >> 4];
  out[2 * i + 1] = digits[in[i] & 15];
}

kernel void base64(global const uchar* in, global char* out) {
  const uint i = get_global_id(0);
  const uchar a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  out[4 * i] = letters[a >> 2];
  out[4 * i + 1] = letters[(a & 3) << 4 | b >> 4];
  out[4 * i + 2] = letters[(b & 15) << 2 | c >> 6];
  out[4 * i + 3] = letters[c & 63];
}

// What lanes without a place in the table do not read.
kernel void guarded(global const uchar* in, global int* out) {
  const int i = get_global_id(0);
  out[i] = in[i] < 5 ? odd[in[i]] : -1;
}

kernel void in_loops(global const uchar* in, global int* out) {
  const int i = get_global_id(0);
  int sum = 0;
  for (int k = in[i]; k < 64; k += 9) sum = 3 * sum + letters[k];
  out[i] = sum;
}

kernel void longest(global const uchar* in, global int* out) {
  const int i = get_global_id(0);
  out[i] = most[in[i] & 127] * 256 + tooMany[in[i] >> 1];
}

// By a number with a sign and an offset.
kernel void moved(global const uchar* in, global int* out) {
  const int i = get_global_id(0);
  constant char* middle = letters + 32;
  out[i] = middle[(in[i] & 63) - 32];
}
