// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Support/Counted.h"

#include <gtest/gtest.h>

using namespace tilewright;

TEST(Counted, OneIsNotMany) {
  EXPECT_EQ(counted(1, "element"), "1 element");
  EXPECT_EQ(counted(0, "element"), "0 elements");
  EXPECT_EQ(counted(2, "element"), "2 elements");
  EXPECT_EQ(counted(-1, "element"), "-1 elements");
  EXPECT_EQ(counted(1, "copy", "copies"), "1 copy");
  EXPECT_EQ(counted(5, "copy", "copies"), "5 copies");
}
