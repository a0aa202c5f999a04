// Preloaded into a server: while the file named by PATCHBAY_FAILING_DISK exists, writing to regular files
// below the folder PATCHBAY_FAILING_FOLDER fails with EROFS, as on a disk that the kernel has made read-only.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma GCC visibility push(default)

static int fails(void) {
  const char* flag = getenv("PATCHBAY_FAILING_DISK");
  return flag != NULL && access(flag, F_OK) == 0;
}

static int is_below(const char* path) {
  const char* folder = getenv("PATCHBAY_FAILING_FOLDER");
  return folder != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

static int refused(int fd) {
  const int before = errno;
  char link[64], path[512];
  struct stat about;
  if (!fails() || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
    errno = before;
    return 0;
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  errno = before;
  if (size <= 0) return 0;
  path[size] = '\0';
  return is_below(path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define REFUSE     \
  do {             \
    errno = EROFS; \
    return -1;     \
  } while (0)

ssize_t write(int fd, const void* bytes, size_t size) {
  if (refused(fd)) REFUSE;
  return NEXT(write)(fd, bytes, size);
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  if (refused(fd)) REFUSE;
  return NEXT(pwrite)(fd, bytes, size, at);
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t at) {
  if (refused(fd)) REFUSE;
  return NEXT(pwrite64)(fd, bytes, size, at);
}
int ftruncate(int fd, off_t size) {
  if (refused(fd)) REFUSE;
  return NEXT(ftruncate)(fd, size);
}
int ftruncate64(int fd, off64_t size) {
  if (refused(fd)) REFUSE;
  return NEXT(ftruncate64)(fd, size);
}
int rename(const char* from, const char* to) {
  if (is_below(to) && fails()) REFUSE;
  return NEXT(rename)(from, to);
}
int unlink(const char* path) {
  if (is_below(path) && fails()) REFUSE;
  return NEXT(unlink)(path);
}
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if ((flags & O_ACCMODE) != O_RDONLY && is_below(path) && fails()) REFUSE;
  return NEXT(open)(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if ((flags & O_ACCMODE) != O_RDONLY && is_below(path) && fails()) REFUSE;
  return NEXT(open64)(path, flags, mode);
}
