/** How a command ends. A monitor tells 3 from 5 by it: the first says nothing of what is missing, the second does. */
export const EXIT = {
  /** Done, or proved. */
  done: 0,
  failed: 1,
  /** Called wrongly: nothing was done. */
  usage: 2,
  /** Nothing can be proved now: something moves, is paused or fails. The message says when to try again. */
  notNow: 3,
  /** Credentials of AWS or of the survey service. */
  credentials: 4,
  /** Something is unaccounted for: one line each on standard output. */
  unaccounted: 5,
  /** Ended by Ctrl-C; what was under way is safe. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
