import { errorCode } from "../../errors.ts";

// Some services answer a page number that is too high with a fault of their own, or with something that is no list: nothing at all, say.

const ANSWERS: ReadonlySet<string> = new Set(["SERVER_ERROR", "UNREADABLE_BODY"]);

/** Whether a failure to read a page may be how the service answers behind the end of a list. */
export function mayBePastEnd(error: unknown): boolean {
  return ANSWERS.has(errorCode(error));
}
