#include "program/isolated_solver.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace plumb::program {
namespace {

using Clock = std::chrono::steady_clock;

// The child sends messages: a length, then that many bytes, which are a tag and a point or a result. The parent replies
// to a point with a Confirmation.
enum class Tag : char { kPoint = 'p', kResult = 'r' };

class Writer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* bytes = reinterpret_cast<const char*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
  }
  template <class T>
  void put_all(std::span<const T> values) {
    put(values.size());
    for (const T& value : values) put(value);
  }
  const std::vector<char>& bytes() const { return bytes_; }

 private:
  std::vector<char> bytes_;
};

// Throws if the message is shorter than what is read, which means that the child was corrupted.
class Reader {
 public:
  explicit Reader(std::vector<char> bytes) : bytes_(std::move(bytes)) {}

  template <class T>
  T get() {
    T value;
    if (bytes_.size() - at_ < sizeof value) throw std::runtime_error("its answer is truncated");
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  template <class T>
  std::vector<T> get_all() {
    const auto count = get<std::size_t>();
    if (count > (bytes_.size() - at_) / sizeof(T)) throw std::runtime_error("its answer is truncated");
    std::vector<T> values(count);
    for (T& value : values) value = get<T>();
    return values;
  }

 private:
  std::vector<char> bytes_;
  std::size_t at_ = 0;
};

void put(Writer& writer, const SolveResult& result) {
  writer.put(result.status);
  writer.put_all(std::span<const char>(result.message));
  for (const auto* values : {&result.point, &result.row_duals, &result.reduced_costs, &result.farkas_ray}) {
    writer.put_all(std::span<const double>(*values));
  }
  for (const double value : {result.objective, result.best_bound, result.seconds}) writer.put(value);
  for (const std::int64_t value : {result.nodes, result.simplex_iterations}) writer.put(value);
}

SolveResult get_result(Reader& reader) {
  SolveResult result;
  result.status = reader.get<SolveStatus>();
  if (result.status > SolveStatus::kFailed) throw std::runtime_error("its answer has no known status");
  const std::vector<char> message = reader.get_all<char>();
  result.message.assign(message.begin(), message.end());
  for (auto* values : {&result.point, &result.row_duals, &result.reduced_costs, &result.farkas_ray}) {
    *values = reader.get_all<double>();
  }
  for (double* value : {&result.objective, &result.best_bound, &result.seconds}) *value = reader.get<double>();
  for (std::int64_t* value : {&result.nodes, &result.simplex_iterations}) *value = reader.get<std::int64_t>();
  return result;
}

// Sends or receives the whole buffer. Returns false if the other side is gone.
bool send_all(int socket, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* data, std::size_t size) {
  auto* bytes = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = recv(socket, bytes, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool send_message(int socket, const std::vector<char>& bytes) {
  const std::size_t size = bytes.size();
  return send_all(socket, &size, sizeof size) && send_all(socket, bytes.data(), size);
}

// A flag that both processes see.
class SharedFlag {
 public:
  SharedFlag() {
    void* page = mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw std::bad_alloc();
    flag_ = new (page) std::atomic<bool>(false);
    static_assert(std::atomic<bool>::is_always_lock_free);
  }
  ~SharedFlag() { munmap(static_cast<void*>(flag_), sizeof *flag_); }
  SharedFlag(const SharedFlag&) = delete;
  SharedFlag& operator=(const SharedFlag&) = delete;

  std::atomic<bool>& operator*() const { return *flag_; }
  std::atomic<bool>* get() const { return flag_; }

 private:
  std::atomic<bool>* flag_;
};

void silence() {
  const int null = open("/dev/null", O_RDWR);
  if (null < 0) return;
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
}

// Runs in the child; never returns.
[[noreturn]] void serve(int socket, const Solver& solver, const Program& program, SolveRequest request,
                        const std::atomic<bool>* cancel, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent died before the line above
  silence();
  if (request.cancel != nullptr) request.cancel = cancel;
  if (request.confirm) {
    request.confirm = [socket](std::span<const double> point) {
      Writer writer;
      writer.put(Tag::kPoint);
      writer.put_all(point);
      Confirmation reply = Confirmation::kKeepGoing;
      if (!send_message(socket, writer.bytes()) || !receive_all(socket, &reply, sizeof reply)) _exit(1);
      return reply;
    };
  }
  SolveResult result;
  try {
    result = solver.solve(program, request);
  } catch (const std::exception& error) {
    result = failed(fmt::format("{} threw an exception: {}", solver.info().name, error.what()));
  }
  Writer writer;
  writer.put(Tag::kResult);
  put(writer, result);
  _exit(send_message(socket, writer.bytes()) ? 0 : 1);
}

// The parent's handle of the child.
class Child {
 public:
  Child(pid_t pid, int socket) : pid_(pid), socket_(socket) {}
  ~Child() {
    close(socket_);
    if (!status_) {
      kill(pid_, SIGKILL);
      reap(0);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Whether there are bytes to read within the given time.
  bool readable(std::chrono::milliseconds wait) const {
    pollfd descriptor{socket_, POLLIN, 0};
    return poll(&descriptor, 1, static_cast<int>(wait.count())) > 0;
  }
  // Returns nothing if the child closed its end before or within a message.
  std::optional<Reader> receive() const {
    std::size_t size = 0;
    if (!receive_all(socket_, &size, sizeof size)) return std::nullopt;
    constexpr std::size_t kMost = std::size_t{1} << 36;
    if (size > kMost) return std::nullopt;
    std::vector<char> bytes(size);
    if (!receive_all(socket_, bytes.data(), size)) return std::nullopt;
    return Reader(std::move(bytes));
  }
  void reply(Confirmation confirmation) const { send_all(socket_, &confirmation, sizeof confirmation); }

  bool has_ended() { return status_ || reap(WNOHANG); }
  // Describes how a child without an answer ended. Waits for its end.
  std::string describe_end() {
    if (!status_) reap(0);
    if (status_ && WIFSIGNALED(*status_)) {
      return fmt::format("crashed: signal {} ({})", WTERMSIG(*status_), strsignal(WTERMSIG(*status_)));
    }
    return fmt::format("ended without an answer (exit code {})", status_ ? WEXITSTATUS(*status_) : -1);
  }

 private:
  bool reap(int options) {
    int status = 0;
    pid_t ended;
    do {
      ended = waitpid(pid_, &status, options);
    } while (ended < 0 && errno == EINTR);
    if (ended == pid_) status_ = status;
    return ended != 0;
  }

  pid_t pid_;
  int socket_;
  std::optional<int> status_;
};

// Waits for the answer. Confirms points, passes on a cancellation, and gives up after the deadline.
SolveResult attend(Child& child, const std::string& name, const SolveRequest& request, std::atomic<bool>& cancel,
                   double grace) {
  constexpr std::chrono::milliseconds kTick(20);
  const auto seconds = [](double s) { return std::chrono::duration<double>(std::min(s, 1e9)); };
  auto now = Clock::now();
  std::chrono::duration<double> left = seconds(request.time_limit) + seconds(grace);
  while (true) {
    if (!child.readable(kTick)) {
      // Other children may hold a copy of this child's socket, so its end shows here and not as the end of the stream.
      if (child.has_ended() && !child.readable(std::chrono::milliseconds(0))) {
        return failed(fmt::format("{} {}", name, child.describe_end()));
      }
      if (request.cancel != nullptr && *request.cancel && !cancel) {
        cancel = true;
        left = std::min(left, seconds(grace));
      }
      const auto then = std::exchange(now, Clock::now());
      left -= now - then;
      if (left.count() >= 0) continue;
      if (!cancel) return failed(fmt::format("{} did not stop at its time limit and was killed", name));
      SolveResult result;
      result.status = SolveStatus::kCancelled;
      return result;
    }
    std::optional<Reader> message = child.receive();
    if (!message) return failed(fmt::format("{} {}", name, child.describe_end()));
    if (message->get<Tag>() == Tag::kResult) return get_result(*message);
    child.reply(request.confirm(message->get_all<double>()));
    now = Clock::now();  // the time that confirm() took is not the child's
  }
}

}  // namespace

SolveResult IsolatedSolver::solve(const Program& program, const SolveRequest& request) const {
  if (const auto problem = refusal(info(), program, request)) return failed(*problem);
  const SharedFlag cancel;
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    return failed(fmt::format("{} could not be started: {}", info().name, std::strerror(errno)));
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    const int error = errno;
    close(sockets[0]);
    close(sockets[1]);
    return failed(fmt::format("{} could not be started: {}", info().name, std::strerror(error)));
  }
  if (pid == 0) {
    close(sockets[0]);
    serve(sockets[1], *inner_, program, request, cancel.get(), parent);
  }
  close(sockets[1]);
  Child child(pid, sockets[0]);
  try {
    return attend(child, info().name, request, *cancel, grace_);
  } catch (const std::runtime_error& error) {
    return failed(fmt::format("{} gave no usable answer: {}", info().name, error.what()));
  }
}

}  // namespace plumb::program
