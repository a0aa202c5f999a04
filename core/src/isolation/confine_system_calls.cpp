#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <string>

#include "isolation/confine.h"
#include "runtime/address_sanitizer.h"

namespace patchbay::core::isolation {
namespace {

// It stops the other threads of its process by ptrace.
constexpr bool kHasLeakCheck = kHasAddressSanitizer;

// By name, because a library older than the kernel does not know all of them.
constexpr const char* kRefusedCalls[] = {
    // other processes
    "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp", "pidfd_open",
    "pidfd_getfd", "pidfd_send_signal", "tkill", "setpgid", "setsid",
    // file systems and namespaces
    "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsmount", "fsconfig",
    "fspick", "mount_setattr", "unshare", "setns", "open_by_handle_at", "name_to_handle_at", "fanotify_init",
    "quotactl", "quotactl_fd",
    // the kernel
    "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "keyctl", "add_key", "request_key", "kexec_load", "kexec_file_load", "init_module", "finit_module",
    "delete_module", "create_module", "lookup_dcookie", "modify_ldt", "uselib", "personality",
    // the machine
    "reboot", "swapon", "swapoff", "acct", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex",
    "sethostname", "setdomainname", "iopl", "ioperm", "syslog", "vhangup", "nfsservctl",
    // another user
    "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid", "setgroups",
    "capset"};

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ALLOW)) {}
  ~Filter() {
    if (context_ != nullptr) seccomp_release(context_);
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  // Ignores calls that this architecture does not have or the library does not know.
  void refuse(const char* name, int error = EPERM) {
    const int call = seccomp_syscall_resolve_name(name);
    if (call >= 0) note(seccomp_rule_add(context_, SCMP_ACT_ERRNO(static_cast<unsigned>(error)), call, 0));
  }
  void refuse_if(const char* name, scmp_arg_cmp argument) {
    const int call = seccomp_syscall_resolve_name(name);
    if (call >= 0) note(seccomp_rule_add_array(context_, SCMP_ACT_ERRNO(EPERM), call, 1, &argument));
  }
  // 0, or a negative errno.
  int enforce() {
    if (context_ == nullptr) return -ENOMEM;
    if (failed_ == 0) note(seccomp_load(context_));
    return failed_;
  }

 private:
  void note(int result) {
    if (failed_ == 0 && result < 0) failed_ = result;
  }
  scmp_filter_ctx context_;
  int failed_ = 0;
};

// Allows signals to this process only; programs that it starts may not signal at all.
void refuse_signals(Filter& filter) {
  const auto self = static_cast<scmp_datum_t>(::getpid());
  for (const char* call : {"kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"})
    filter.refuse_if(call, SCMP_A0(SCMP_CMP_NE, self));
}

// Allows IP, and netlink, which lists the network interfaces.
void refuse_sockets(Filter& filter) {
  for (int family = 0; family < AF_MAX; ++family) {
    if (family == AF_INET || family == AF_INET6 || family == AF_NETLINK) continue;
    filter.refuse_if("socket", SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(family)));
  }
  filter.refuse_if("socket", SCMP_A0(SCMP_CMP_GE, static_cast<scmp_datum_t>(AF_MAX)));
  // A datagram socket of a pair could be connected again, to a path; the type's other bits are flags.
  filter.refuse_if("socketpair", SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, SOCK_DGRAM));
}

// clone3 keeps its flags in memory, where no filter sees them; without it libc falls back to clone.
void refuse_namespaces(Filter& filter) {
  filter.refuse("clone3", ENOSYS);
  for (const unsigned long flag :
       {static_cast<unsigned long>(CLONE_NEWUSER), static_cast<unsigned long>(CLONE_NEWNS),
        static_cast<unsigned long>(CLONE_NEWPID), static_cast<unsigned long>(CLONE_NEWNET),
        static_cast<unsigned long>(CLONE_NEWIPC), static_cast<unsigned long>(CLONE_NEWUTS),
        static_cast<unsigned long>(CLONE_NEWCGROUP)})
    filter.refuse_if("clone", SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
}

}  // namespace

Status confine_system_calls() {
  Filter filter;
  for (const char* name : kRefusedCalls) filter.refuse(name);
  if (!kHasLeakCheck) filter.refuse("ptrace");
  refuse_signals(filter);
  refuse_sockets(filter);
  refuse_namespaces(filter);
  // It may not outlive the server, type into a terminal, or change the limits of other processes.
  filter.refuse_if("prctl", SCMP_A0(SCMP_CMP_EQ, PR_SET_PDEATHSIG));
  filter.refuse_if("ioctl", SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, TIOCSTI));
  filter.refuse_if("prlimit64", SCMP_A0(SCMP_CMP_NE, 0));
  const int error = filter.enforce();
  if (error == 0) return {};
  return {Code::failed, std::string("it could not be confined: system calls: ") + std::strerror(-error)};
}

}  // namespace patchbay::core::isolation
