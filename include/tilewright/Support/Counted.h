// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers of things in messages: the one place that knows that one element is not "1 elements".
#ifndef TILEWRIGHT_SUPPORT_COUNTED_H
#define TILEWRIGHT_SUPPORT_COUNTED_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

/// "1 element", "0 elements", "5 elements". `many` is for words whose plural is not `one` and an s: counted(2, "copy",
/// "copies").
std::string counted(int64_t number, std::string_view one, std::string_view many = {});

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_COUNTED_H
