// PackedNames: byte strings by name, as one text in which a name is found without reading the rest.
// Several names may have the same bytes, which are stored once. It believes nothing: in a text that
// is not right no name is found, and nothing outside it is read. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gibbous {

class PackedNames {
 public:
  PackedNames() = default;
  // `owner` keeps the text alive; null: it is copied.
  PackedNames(std::string_view text, std::shared_ptr<const void> owner);

  // Makes the text. Each name is given once, with the index of its item.
  static std::string pack(const std::vector<std::pair<std::string, std::size_t>>& names,
                          const std::vector<std::string>& items);

  // Returns the index of the item with this name.
  std::optional<std::size_t> find(std::string_view name) const;
  std::string_view bytes(std::size_t item) const;
  // How many items there are; 0 in a text that is not right.
  std::size_t items() const { return items_; }
  void each(const std::function<void(std::string_view name, std::size_t item)>& call) const;

 private:
  std::uint32_t number(std::size_t index) const;
  std::string_view part(std::size_t begin, std::size_t end) const;
  std::string_view name_at(std::size_t index) const;

  std::shared_ptr<const void> owner_;
  std::string_view text_;
  std::size_t slots_ = 0;
  std::size_t names_ = 0;
  std::size_t items_ = 0;
};

}  // namespace gibbous
