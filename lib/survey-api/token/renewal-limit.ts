import { TooManyRenewalsError } from "../errors.ts";

/** Milliseconds. */
const WINDOW = 600_000;
const MOST_RENEWALS = 5;
const ANSWERS_PER_RENEWAL = 50;
const MOST_EARNED = 2;

/**
 * Two clients that revoke each other's token must not storm the service, nor must one whose tokens are all refused. At most five renewals
 * in ten minutes are made that were not earned. Each fifty answers that come here earn one, of which two are saved up at most. They are not
 * spent on a token that was asked for here and never accepted.
 */
export function createRenewalLimit(now: () => number) {
  /** Epoch milliseconds of the renewals that were not earned. */
  let replaced: number[] = [];
  /** Answers that have not paid for a renewal yet. */
  let answers = 0;

  return {
    /** Something was answered for a token. */
    answered(): void {
      answers = Math.min(answers + 1, MOST_EARNED * ANSWERS_PER_RENEWAL);
    },
    /**
     * Has a refused token replaced by `obtain`.
     *
     * @throws TooManyRenewalsError when it may not be replaced now
     */
    async replace(neverAccepted: boolean, obtain: () => Promise<string>): Promise<string> {
      const isEarned = !neverAccepted && answers >= ANSWERS_PER_RENEWAL;
      // A clock that is set back forgets.
      replaced = replaced.filter((at) => Math.abs(now() - at) < WINDOW);
      if (!isEarned && replaced.length >= MOST_RENEWALS) {
        throw new TooManyRenewalsError("five tokens in ten minutes were refused soon after they had come", {
          operation: "get token",
          retryable: true,
          hint: "Something else revokes the tokens: see who uses these credentials too, and give this client its own.",
        });
      }
      const token = await obtain();
      if (isEarned) answers -= ANSWERS_PER_RENEWAL;
      else replaced.push(now());
      return token;
    },
  };
}
