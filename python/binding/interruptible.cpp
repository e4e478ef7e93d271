#include <nanobind/stl/string.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "binding.h"

namespace softwood::python {
namespace {

constexpr std::chrono::milliseconds tick(100);
// How long work may take to end after it was told to, before nobody waits for it any longer.
constexpr std::chrono::milliseconds patience(500);

// What the thread of the work and the one that waits for it share.
struct Job {
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  bool fresh = false;  // progress that was not told yet
  std::string stage, activity;
  double share = 0;
  std::exception_ptr failure;
  std::atomic<bool> stop = false;

  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex);
    return ended.wait_for(lock, time, [&] { return done; });
  }
};

// Work that was told to stop and for whose end nobody waits. Under the interpreter lock.
struct Abandoned {
  std::thread thread;
  std::shared_ptr<Job> job;
  pid_t process = getpid();  // a fork has no such thread
};
std::vector<Abandoned>& abandoned() {
  static auto& all = *new std::vector<Abandoned>();  // threads may outlive static objects
  return all;
}

void forget_ended() {
  std::erase_if(abandoned(), [](Abandoned& work) {
    if (work.process != getpid()) {
      work.thread.detach();
      return true;
    }
    if (!work.job->wait({})) return false;
    work.thread.join();  // it needs no lock any longer
    return true;
  });
}

// When the interpreter ends: threads must not run on while it is taken down. Another Ctrl-C ends
// the process at once.
void wait_for_abandoned() {
  constexpr int exit_of_interrupt = 130;
  while (forget_ended(), !abandoned().empty()) {
    if (PyErr_CheckSignals() != 0) std::_Exit(exit_of_interrupt);
    const std::shared_ptr<Job> job = abandoned().front().job;
    const nb::gil_scoped_release unlocked;
    job->wait(tick);
  }
}

// Calls progress under the interpreter lock; what it raises is raised.
void tell(const nb::object& progress, Job& job) {
  std::string stage, activity;
  double share = 0;
  {
    const std::lock_guard lock(job.mutex);
    if (!job.fresh) return;
    job.fresh = false;
    stage = job.stage;
    activity = job.activity;
    share = job.share;
  }
  progress(stage, activity, share);
}

Controls controls_of(const std::shared_ptr<Job>& job, bool with_progress) {
  Controls controls;
  controls.stop_flag = &job->stop;
  if (with_progress) {
    controls.progress = [job](const Progress& now) {
      const std::lock_guard lock(job->mutex);
      job->stage = now.stage;
      job->activity = now.activity;
      job->share = now.share();
      job->fresh = true;
    };
  }
  return controls;
}

std::thread started(const std::shared_ptr<Job>& job, bool with_progress, Work work) {
  return std::thread([job, with_progress, work = std::move(work)]() mutable {
    try {
      work(controls_of(job, with_progress));
    } catch (...) {
      job->failure = std::current_exception();
    }
    work = nullptr;  // gives back what it held
    const std::lock_guard lock(job->mutex);
    job->done = true;
    job->ended.notify_all();
  });
}

// Waits for the end, looks for signals and tells of progress meanwhile. Returns what was raised.
std::exception_ptr watch(Job& job, const nb::object& progress) {
  std::exception_ptr raised;
  const nb::gil_scoped_release unlocked;
  while (!job.wait(raised ? patience : tick)) {
    if (raised) break;  // it was told to stop
    const nb::gil_scoped_acquire locked;
    try {
      if (PyErr_CheckSignals() != 0) nb::raise_python_error();
      if (!progress.is_none()) tell(progress, job);
    } catch (...) {
      raised = std::current_exception();
      job.stop = true;
    }
  }
  return raised;
}

}  // namespace

void run_interruptibly(const nb::object& progress, Work work) {
  forget_ended();
  const auto job = std::make_shared<Job>();
  std::thread worker = started(job, !progress.is_none(), std::move(work));
  const std::exception_ptr raised = watch(*job, progress);
  if (job->wait({})) {
    const nb::gil_scoped_release unlocked;
    worker.join();
  } else {
    abandoned().push_back({std::move(worker), job});
  }
  if (raised) std::rethrow_exception(raised);
  if (job->failure) std::rethrow_exception(job->failure);
}

void bind_interruptible(nb::module_& module) {
  module.def("wait_for_abandoned", &wait_for_abandoned,
             "Waits for the end of work that was interrupted and goes on in the background.");
  nb::module_::import_("atexit").attr("register")(module.attr("wait_for_abandoned"));
}

}  // namespace softwood::python
