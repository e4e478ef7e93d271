#include "stages/shared_work.h"

#include <algorithm>
#include <map>

namespace softwood {
namespace {

// For each keeper: of the rows that its trainings learn from, and of those without the part that a
// later stage holds out.
constexpr size_t places_per_keeper = 2;

// A training that is started inside another has nothing in common with it but the Derived.
struct Registry {
  std::mutex mutex;
  std::map<const Derived*, std::weak_ptr<SharedWork>> works;
};
Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

SharedWork::Keeper::Keeper(const Derived& derived) : derived_(&derived) {
  const std::lock_guard lock(registry().mutex);
  std::weak_ptr<SharedWork>& known = registry().works[derived_];
  work_ = known.lock();
  if (!work_) known = work_ = std::make_shared<SharedWork>();
  ++work_->keepers_;
}

SharedWork::Keeper::~Keeper() {
  const std::lock_guard lock(registry().mutex);
  if (--work_->keepers_ == 0) registry().works.erase(derived_);
}

std::shared_ptr<SharedWork> SharedWork::of(const Derived& derived) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().works.find(&derived);
  return found == registry().works.end() ? nullptr : found->second.lock();
}

std::shared_ptr<SharedWork::Place> SharedWork::place_of(const std::string& name,
                                                        std::span<const RowIndex> rows) {
  const std::lock_guard lock(mutex_);
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

size_t SharedWork::kept() const {
  const std::lock_guard lock(mutex_);
  return places_.size();
}

}  // namespace softwood
