/* cli/interrupt — signals that end the program: some can be asked about, all leave no half-written file.
 *
 * A handler may set a flag of type sig_atomic_t and do next to nothing else (POSIX.1-2008, XSH 2.4.3),
 * and gets no argument that would lead it to one: so the flag is the program's only variable of its
 * own.  */
#ifndef LK_CLI_INTERRUPT_H
#define LK_CLI_INTERRUPT_H

/* From now on what ends the program (SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ) first removes
 * the files that are being written beside their names.  What is ignored stays ignored (nohup). */
void lk_interrupt_tidy(void);

/* From now on SIGINT and SIGTERM only note that they came, the second of a kind ends the program.  Also
 * where SIGINT was ignored: a script's shell ignores it for what it runs in the background, and a report
 * of what was read so far can still be asked for with kill -INT. */
void lk_interrupt_catch(void);

/* SIGINT or SIGTERM, whichever came last; 0 = neither. */
int lk_interrupt_seen(void);

#endif
