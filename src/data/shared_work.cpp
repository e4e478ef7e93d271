#include "data/shared_work.h"

#include <algorithm>

namespace softwood {
namespace {

// For each keeper: of the rows that its trainings learn from, and of those without the part that a
// later stage holds out.
constexpr size_t places_per_keeper = 2;

}  // namespace

SharedWork::Keeper::Keeper(SharedWork& work) : work_(work) {
  const std::lock_guard lock(work_.mutex_);
  ++work_.keepers_;
}

SharedWork::Keeper::~Keeper() {
  const std::lock_guard lock(work_.mutex_);
  if (--work_.keepers_ > 0) return;
  work_.places_.clear();
  work_.made_ = 0;
}

// None where nobody keeps anything.
std::shared_ptr<SharedWork::Place> SharedWork::place_of(const std::string& name,
                                                        std::span<const RowIndex> rows) {
  const std::lock_guard lock(mutex_);
  if (keepers_ == 0) return nullptr;
  const auto found = std::find_if(places_.begin(), places_.end(), [&](const auto& place) {
    return place->name == name && std::ranges::equal(place->rows, rows);
  });
  if (found != places_.end()) {
    places_.splice(places_.begin(), places_, found);
    return places_.front();
  }
  const auto place = std::make_shared<Place>();
  place->name = name;
  place->rows.assign(rows.begin(), rows.end());
  places_.push_front(place);
  if (places_.size() > places_per_keeper * keepers_) places_.pop_back();
  return place;
}

void SharedWork::count_made() {
  const std::lock_guard lock(mutex_);
  ++made_;
}

size_t SharedWork::made() const {
  const std::lock_guard lock(mutex_);
  return made_;
}

size_t SharedWork::kept() const {
  const std::lock_guard lock(mutex_);
  return places_.size();
}

}  // namespace softwood
