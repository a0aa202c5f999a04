// What sofia-sip does not free, for the leak check of the sanitizers: the names that it reads from each
// certificate, and its answers to STUN. OpenSSL has no frame pointers, so that the stacks of the names end
// there; ssl_release.cpp counts the connections.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();

extern "C" const char* __lsan_default_suppressions() { return "leak:libsofia-sip-ua.so\nleak:libcrypto.so"; }
