/* A library that a plugin is linked to. */
int library_answer(void);
int library_answer(void) { return 42; }
