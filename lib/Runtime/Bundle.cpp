// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/Bundle.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

using namespace tilewright;

static constexpr std::string_view kMagic = "TILEWRGT";
static constexpr uint64_t kHeaderBytes = 32, kEntryBytes = 48, kAlignment = 16;
static constexpr uint32_t kMaxSections = 1 << 16;

static std::nullopt_t fail(std::string *error, std::string message) {
  if (error)
    *error = std::move(message);
  return std::nullopt;
}

/// FNV-1a over 64-bit words, then over the bytes that are left. It finds damage, not malice: what a section
/// holds is checked by whoever reads it.
static uint64_t checksum(std::string_view bytes, uint64_t state = 0xcbf29ce484222325u) {
  constexpr uint64_t kPrime = 0x100000001b3u;
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    state = (state ^ word) * kPrime;
    state ^= state >> 32;
  }
  for (; i < bytes.size(); ++i)
    state = (state ^ static_cast<uint8_t>(bytes[i])) * kPrime;
  return state;
}

static void putInteger(std::string &bytes, size_t at, uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i)
    bytes[at + i] = static_cast<char>(value >> (8 * i));
}

static uint64_t getInteger(std::string_view bytes, size_t at, unsigned size) {
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i)
    value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[at + i])) << (8 * i);
  return value;
}

std::string_view tilewright::sectionKindName(SectionKind kind) {
  switch (kind) {
  case SectionKind::Plan:
    return "plan";
  case SectionKind::Ptx:
    return "PTX";
  case SectionKind::Cubin:
    return "cubin";
  case SectionKind::Simt:
    return "SIMT";
  case SectionKind::Report:
    return "report";
  case SectionKind::Tile:
    return "tile";
  }
  return "unknown";
}

static std::string describeSection(SectionKind kind, std::string_view name) {
  return std::string(sectionKindName(kind)) + " section '" + std::string(name) + "'";
}

const BundleSection *Bundle::find(SectionKind kind, std::string_view name) const {
  for (const BundleSection &section : sections)
    if (section.kind == kind && section.name == name)
      return &section;
  return nullptr;
}

void Bundle::add(SectionKind kind, std::string name, std::string data) {
  sections.push_back({kind, std::move(name), std::move(data)});
}

std::optional<std::string> tilewright::writeBundle(const Bundle &bundle, std::string *error) {
  if (!verifyLaunchPlan(bundle.plan, error))
    return std::nullopt;
  std::vector<BundleSection> sections = {{SectionKind::Plan, "", printLaunchPlan(bundle.plan)}};
  for (const BundleSection &section : bundle.sections)
    if (section.kind != SectionKind::Plan)
      sections.push_back(section);
  if (sections.size() > kMaxSections)
    return fail(error, "a bundle of " + std::to_string(sections.size()) + " sections is over the limit");
  std::set<std::pair<SectionKind, std::string_view>> seen;
  for (const BundleSection &section : sections)
    if (!seen.insert({section.kind, section.name}).second)
      return fail(error, "the bundle has two of " + describeSection(section.kind, section.name));

  std::string bytes(kHeaderBytes + kEntryBytes * sections.size(), '\0');
  for (size_t i = 0; i < sections.size(); ++i) {
    const BundleSection &section = sections[i];
    size_t entry = kHeaderBytes + kEntryBytes * i;
    size_t nameOffset = bytes.size();
    bytes += section.name;
    bytes.append((kAlignment - bytes.size() % kAlignment) % kAlignment, '\0');
    putInteger(bytes, entry, static_cast<uint32_t>(section.kind), 4);
    putInteger(bytes, entry + 4, section.name.size(), 4);
    putInteger(bytes, entry + 8, nameOffset, 8);
    putInteger(bytes, entry + 16, bytes.size(), 8);
    putInteger(bytes, entry + 24, section.data.size(), 8);
    putInteger(bytes, entry + 32, checksum(section.data, checksum(section.name)), 8);
    bytes += section.data;
  }
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  putInteger(bytes, 8, kBundleVersion, 4);
  putInteger(bytes, 12, sections.size(), 4);
  putInteger(bytes, 16, bytes.size(), 8);
  putInteger(bytes, 24, checksum(std::string_view(bytes).substr(kHeaderBytes, kEntryBytes * sections.size())), 8);
  return bytes;
}

bool tilewright::looksLikeBundle(std::string_view bytes) { return bytes.substr(0, kMagic.size()) == kMagic; }

std::optional<Bundle> tilewright::readBundle(std::string_view bytes, std::string *error) {
  if (!looksLikeBundle(bytes))
    return fail(error, "not a bundle: it does not begin with TILEWRGT");
  if (bytes.size() < kHeaderBytes)
    return fail(error, "truncated bundle: " + std::to_string(bytes.size()) + " bytes are less than its header");
  if (uint64_t version = getInteger(bytes, 8, 4); version != kBundleVersion)
    return fail(error, "bundle version " + std::to_string(version) + " is not supported, expected " +
                           std::to_string(kBundleVersion));
  uint64_t fileSize = getInteger(bytes, 16, 8);
  if (fileSize != bytes.size())
    return fail(error, std::string(fileSize > bytes.size() ? "truncated" : "damaged") + " bundle: it should have " +
                           std::to_string(fileSize) + " bytes, but has " + std::to_string(bytes.size()));
  uint64_t count = getInteger(bytes, 12, 4);
  if (count > kMaxSections || kHeaderBytes + count * kEntryBytes > bytes.size())
    return fail(error, "damaged bundle: its table of " + std::to_string(count) + " sections does not fit the file");
  std::string_view table = bytes.substr(kHeaderBytes, count * kEntryBytes);
  if (checksum(table) != getInteger(bytes, 24, 8))
    return fail(error, "damaged bundle: the checksum of its section table is wrong");

  Bundle bundle;
  bool hasPlan = false;
  std::set<std::pair<SectionKind, std::string>> seen;
  for (uint64_t i = 0; i < count; ++i) {
    size_t entry = kHeaderBytes + kEntryBytes * i;
    SectionKind kind = static_cast<SectionKind>(getInteger(bytes, entry, 4));
    uint64_t nameSize = getInteger(bytes, entry + 4, 4), nameOffset = getInteger(bytes, entry + 8, 8);
    uint64_t dataOffset = getInteger(bytes, entry + 16, 8), dataSize = getInteger(bytes, entry + 24, 8);
    auto isInside = [&](uint64_t offset, uint64_t size) {
      return offset <= bytes.size() && size <= bytes.size() - offset;
    };
    std::string number = "section " + std::to_string(i);
    if (!isInside(nameOffset, nameSize) || !isInside(dataOffset, dataSize))
      return fail(error, "damaged bundle: " + number + " lies outside the file");
    if (sectionKindName(kind) == "unknown")
      return fail(error,
                  "damaged bundle: " + number + " has the unknown kind " + std::to_string(static_cast<uint32_t>(kind)));
    std::string_view name = bytes.substr(nameOffset, nameSize), data = bytes.substr(dataOffset, dataSize);
    if (checksum(data, checksum(name)) != getInteger(bytes, entry + 32, 8))
      return fail(error, "damaged bundle: the checksum of " + number + " (" + std::string(sectionKindName(kind)) +
                             ") is wrong");
    if (!seen.insert({kind, std::string(name)}).second)
      return fail(error, "damaged bundle: it has two of " + describeSection(kind, name));
    if (kind != SectionKind::Plan) {
      bundle.add(kind, std::string(name), std::string(data));
      continue;
    }
    std::optional<LaunchPlan> plan = parseLaunchPlan(data, error);
    if (!plan)
      return std::nullopt;
    if (hasPlan)
      return fail(error, "damaged bundle: it has two plans");
    hasPlan = true;
    bundle.plan = std::move(*plan);
  }
  if (!hasPlan)
    return fail(error, "damaged bundle: it has no plan");
  return bundle;
}

std::optional<Bundle> tilewright::readBundleFile(const std::string &path, std::string *error) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::string bytes, message;
  char buffer[1 << 16];
  bool isOk = file != nullptr;
  while (isOk) {
    size_t count = std::fread(buffer, 1, sizeof(buffer), file.get());
    bytes.append(buffer, count);
    if (count < sizeof(buffer)) {
      isOk = !std::ferror(file.get());
      break;
    }
  }
  if (!isOk)
    return fail(error, path + ": " + std::strerror(errno));
  std::optional<Bundle> bundle = readBundle(bytes, &message);
  if (!bundle)
    return fail(error, path + ": " + message);
  return bundle;
}
