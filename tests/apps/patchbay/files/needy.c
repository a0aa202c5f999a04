/* Linked with leaky.c, and uses library.c. */
int library_answer(void);
int needy(void);
int needy(void) { return library_answer(); }
