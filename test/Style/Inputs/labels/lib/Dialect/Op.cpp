// SPDX-License-Identifier: Apache-2.0
bool verify(int lhs, int rhs) {
  if (lhs != rhs) // dot_c1
    return false;
  return lhs > 0; // dot_c2
}
