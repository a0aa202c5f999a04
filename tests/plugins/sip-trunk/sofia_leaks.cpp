// What sofia-sip does not free, for the leak check of the sanitizers: the names that it reads from each
// certificate, its answers to STUN, and the SSL object of each connection. OpenSSL has no frame pointers, so
// that stacks may end there.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();

extern "C" const char* __lsan_default_suppressions() {
  return "leak:libsofia-sip-ua.so\nleak:libcrypto.so\nleak:libssl.so";
}
