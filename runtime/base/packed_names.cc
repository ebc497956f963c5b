// The text: three counts, a hash table of names, for each name where it ends and its item, for each
// item where its bytes end, then all names and all bytes. Numbers have 32 bits and this machine's
// order: who keeps such a text keeps it for the program that made it.
#include "runtime/base/packed_names.h"

#include <bit>
#include <cstring>

namespace gibbous {
namespace {

constexpr std::size_t kNumberBytes = sizeof(std::uint32_t);
constexpr std::size_t kHeadNumbers = 3;
constexpr std::size_t kNumbersOfName = 2;
constexpr std::size_t kMostCounted = std::size_t{1} << 24;

// FNV-1a.
std::uint32_t hash_of(std::string_view name) {
  std::uint32_t hash = 2'166'136'261U;
  for (const char byte : name) hash = (hash ^ static_cast<unsigned char>(byte)) * 16'777'619U;
  return hash;
}

}  // namespace

PackedNames::PackedNames(std::string_view text, std::shared_ptr<const void> owner)
    : owner_(std::move(owner)), text_(text) {
  if (owner_ == nullptr) {
    const auto copy = std::make_shared<const std::string>(text);
    text_ = *copy;
    owner_ = copy;
  }
  if (text_.size() < kHeadNumbers * kNumberBytes) return;
  const std::size_t slots = number(0);
  const std::size_t names = number(1);
  const std::size_t items = number(2);
  if (!std::has_single_bit(slots) || slots > kMostCounted || names >= slots || items > kMostCounted)
    return;
  const std::size_t head = kHeadNumbers + slots + kNumbersOfName * names + items;
  if (text_.size() < head * kNumberBytes) return;
  slots_ = slots;
  names_ = names;
  items_ = items;
}

std::uint32_t PackedNames::number(std::size_t index) const {
  std::uint32_t read = 0;
  std::memcpy(&read, text_.data() + index * kNumberBytes, kNumberBytes);
  return read;
}

std::string_view PackedNames::part(std::size_t begin, std::size_t end) const {
  const std::size_t head =
      (kHeadNumbers + slots_ + kNumbersOfName * names_ + items_) * kNumberBytes;
  const std::string_view rest = text_.substr(head);
  return begin <= end && end <= rest.size() ? rest.substr(begin, end - begin) : std::string_view();
}

std::string_view PackedNames::name_at(std::size_t index) const {
  const std::size_t at = kHeadNumbers + slots_ + kNumbersOfName * index;
  return part(index == 0 ? 0 : number(at - kNumbersOfName), number(at));
}

std::optional<std::size_t> PackedNames::find(std::string_view name) const {
  const std::size_t first = hash_of(name);
  for (std::size_t probe = 0; probe < slots_; ++probe) {
    const std::size_t slot = (first + probe) & (slots_ - 1);
    const std::size_t index = number(kHeadNumbers + slot);
    if (index == 0 || index > names_) return std::nullopt;
    if (name_at(index - 1) != name) continue;
    const std::size_t item = number(kHeadNumbers + slots_ + kNumbersOfName * (index - 1) + 1);
    return item < items_ ? std::optional(item) : std::nullopt;
  }
  return std::nullopt;
}

std::string_view PackedNames::bytes(std::size_t item) const {
  if (item >= items_) return {};
  const std::size_t ends = kHeadNumbers + slots_ + kNumbersOfName * names_;
  const std::size_t names_end =
      names_ == 0 ? 0 : number(kHeadNumbers + slots_ + kNumbersOfName * (names_ - 1));
  return part(item == 0 ? names_end : number(ends + item - 1), number(ends + item));
}

void PackedNames::each(
    const std::function<void(std::string_view name, std::size_t item)>& call) const {
  for (std::size_t index = 0; index < names_; ++index) {
    const std::size_t item = number(kHeadNumbers + slots_ + kNumbersOfName * index + 1);
    if (item < items_) call(name_at(index), item);
  }
}

std::string PackedNames::pack(const std::vector<std::pair<std::string, std::size_t>>& names,
                              const std::vector<std::string>& items) {
  const std::size_t slots = std::bit_ceil(2 * names.size() + 1);
  std::vector<std::uint32_t> numbers(kHeadNumbers + slots);
  numbers[0] = static_cast<std::uint32_t>(slots);
  numbers[1] = static_cast<std::uint32_t>(names.size());
  numbers[2] = static_cast<std::uint32_t>(items.size());
  std::string rest;
  for (std::size_t index = 0; index < names.size(); ++index) {
    const auto& [name, item] = names[index];
    std::size_t slot = hash_of(name) & (slots - 1);
    while (numbers[kHeadNumbers + slot] != 0) slot = (slot + 1) & (slots - 1);
    numbers[kHeadNumbers + slot] = static_cast<std::uint32_t>(index + 1);
    rest += name;
    numbers.push_back(static_cast<std::uint32_t>(rest.size()));
    numbers.push_back(static_cast<std::uint32_t>(item));
  }
  for (const std::string& bytes : items) {
    rest += bytes;
    numbers.push_back(static_cast<std::uint32_t>(rest.size()));
  }
  std::string text(reinterpret_cast<const char*>(numbers.data()), numbers.size() * kNumberBytes);
  return text + rest;
}

}  // namespace gibbous
