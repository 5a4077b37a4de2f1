/** What a check needs of real AWS, or of the caller. Where it is lacking, the check is skipped and says why. */
export type Need =
  | "alarm evaluation"
  | "bus log"
  | "enforced permissions"
  | "function URLs"
  | "schema registry"
  | "second account";

/** One thing that is shown, or not. */
export interface Check<Context> {
  /** Of letters, digits and hyphens, unique. */
  readonly name: string;
  readonly needs: readonly Need[];
  /** Checks without which this one cannot be made: unless they are ok, it is skipped. */
  readonly after: readonly string[];
  /** Checks that must be over before, however they ended. */
  readonly waitsFor?: readonly string[];
  /** Milliseconds until it counts as failed. */
  readonly deadline: number;
  /**
   * Gives what it has shown, in one line.
   *
   * @throws CheckFailedError with what to do, NotShownError when it turns out that here it cannot be shown
   */
  run(context: Context, running: Running): Promise<string>;
}

/** The run of one check. */
export interface Running {
  /** Aborts at the deadline, and when the whole run is interrupted. */
  readonly signal: AbortSignal;
  /**
   * Looks again and again until there is something, and gives it.
   *
   * @param what is awaited: it is named when the deadline comes first
   * @throws whatever `look` throws
   */
  until<T>(what: string | (() => string), look: () => Promise<T | undefined>): Promise<T>;
}

/** Something is not as it should be. */
export class CheckFailedError extends Error {
  readonly todo: string;
  /** @param todo what to do next, a sentence without its full stop */
  constructor(message: string, todo: string) {
    super(message);
    this.todo = todo;
  }
}

/** What was to be shown cannot be seen here. */
export class NotShownError extends Error {}

/** @throws CheckFailedError unless `isSo` */
export function mustBe(isSo: boolean, message: string, todo: string): asserts isSo {
  if (!isSo) throw new CheckFailedError(message, todo);
}
