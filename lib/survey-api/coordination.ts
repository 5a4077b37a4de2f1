/** Ways for one client to learn of the others that use the same credentials, in other processes. */
export interface Coordination {
  /**
   * Has a token asked for by one client at a time. A client that has to wait for another one calls `look` now and then. A client whose turn
   * has come calls it once before `ask`. A token that `look` gives ends the renewal. Waiting for others must end: better a token too many
   * than none. Rejects with the error of `look` or `ask`.
   */
  renew(renewal: TokenRenewal): Promise<string>;
  /**
   * The service wants to be left alone for a second or more, by Retry-After or because it refuses whatever is asked. Told again once that
   * ends a second later or more, and not for what `pauseUntil()` was given. It is not waited for; what it throws is ignored.
   */
  onPause(pause: SharedPause): void;
}

export interface TokenRenewal {
  /** A token that another client has kept meanwhile, if there is one that may work. */
  look(): Promise<string | undefined>;
  /** Asks the service for a token, and keeps it. */
  ask(): Promise<string>;
}

/** Epoch milliseconds. */
export interface SharedPause {
  until: number;
}

/** Milliseconds; the shorter ones are part of learning how fast the service may be asked. */
export const PAUSE_WORTH_SHARING = 1_000;

/** Of a client that knows of no other. */
export const alone: Coordination = { renew: ({ ask }) => ask(), onPause: () => {} };
