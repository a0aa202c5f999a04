/* A shared library that a plugin needs. */
int library_answer(void);
int library_answer(void) { return 42; }
