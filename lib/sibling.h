/* L0: whether another hardware thread of the core is at work, which no guest finds in /proc. */
#ifndef IPCTAX_SIBLING_H
#define IPCTAX_SIBLING_H

/*
 * The time of four independent chains of additions over that of one chain as
 * long, on the processor this thread runs on. A thread alone on its core takes
 * about as long for both (1.0 to 1.2, less exact the narrower the core); a busy
 * sibling takes issue slots away, which only the four chains miss. Compares with
 * other figures of the same machine only: code that fills the core slows in about
 * that proportion, code that waits for its own results hardly. Takes microseconds.
 */
double sibling_pressure(void);

/*
 * The same, and on the other processor too where this thread may use just two;
 * the larger. The thread is moved there and back.
 */
double sibling_pressure_both(void);

#endif
