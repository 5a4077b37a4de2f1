import { tokenChannel } from "./diagnostics.ts";
import { WrongTokenError } from "./errors.ts";
import { asToken } from "./token-body.ts";

/** What is kept of a token between runs. Times are epoch milliseconds. */
export interface StoredToken {
  token: string;
  obtainedAt: number;
  expiresAt: number;
}

/** Where the token is kept between runs. */
export interface TokenStore {
  read(): Promise<StoredToken | undefined>;
  write(token: StoredToken): Promise<void>;
}

export interface Tokens {
  /** The token to use now. */
  current(): Promise<string>;
  /** The token that was had last, if any, at once. */
  latest(): string | undefined;
  /** A token kept by someone else meanwhile, if it is not `rejected`. */
  reread(rejected: string): Promise<string | undefined>;
  /** Another token than `rejected`, asked for once whatever the number of callers. */
  renew(rejected: string): Promise<string>;
}

/** Validity of a token by section 5 of the API document. */
const VALIDITY = 30 * 24 * 3_600_000;
/** Before its end a token is renewed at leisure: in its last hour, or the last tenth of a short life. */
const RENEW_BEFORE = 3_600_000;
/** A renewal at leisure that failed is tried again after so long. */
const TRY_AGAIN = 300_000;
/** Two clients that revoke each other's token must not storm the service; nor must one that is given none. */
const MOST_RENEWALS = 5;
const MOST_FAILURES = 20;
const WINDOW = 600_000;

export interface TokensOptions {
  store: TokenStore;
  /** Operation 1. */
  request: () => Promise<string>;
  now: () => number;
}

export function createTokens(options: TokensOptions): Tokens {
  const { store, now } = options;
  let held: StoredToken | undefined;
  let leisureAt = 0;
  /** Tokens that were found wrong: a store that lags behind may give them again. */
  const refused = new Set<string>();
  const renewals = createWindow(now);
  const failures = createWindow(now);
  let lastFailure: unknown;
  const obtaining = singleFlight<string>();
  const reading = singleFlight<StoredToken | undefined>();

  async function obtain(): Promise<string> {
    if (failures.count() >= MOST_FAILURES) throw lastFailure;
    let token: string;
    try {
      token = await options.request();
    } catch (error) {
      failures.add();
      lastFailure = error;
      throw error;
    }
    held = { token, obtainedAt: now(), expiresAt: expiryOf(token) ?? now() + VALIDITY };
    tokenChannel.publish({ kind: "renewed" });
    try {
      await store.write(held);
    } catch {
      // The token works all the same: only the next process has to ask for one of its own.
      tokenChannel.publish({ kind: "not stored" });
    }
    return token;
  }

  /** In the place of a token that was refused. */
  async function obtainAnother(): Promise<string> {
    if (renewals.count() >= MOST_RENEWALS) {
      throw new WrongTokenError("five tokens in ten minutes were refused", {
        operation: "get token",
        hint: "Another client may be revoking them: give this one credentials of its own.",
      });
    }
    const token = await obtain();
    renewals.add();
    return token;
  }

  /** The token kept by whoever renewed it last, if it can be one that works. */
  async function readStore(): Promise<StoredToken | undefined> {
    const stored = await reading(() => store.read());
    const isUsable = stored !== undefined && asToken(stored.token) === stored.token && !refused.has(stored.token);
    return isUsable && state(stored) !== "expired" ? stored : undefined;
  }

  /** The token kept, if it works by what is known of it, or else a new one. */
  async function storedOrNew(): Promise<string> {
    const stored = await readStore();
    // Near its end it is still better than none.
    if (stored !== undefined) held = stored;
    return stored !== undefined && state(stored) === "valid" ? stored.token : obtain();
  }

  function state(token: StoredToken): "valid" | "ending" | "expired" {
    const life = token.expiresAt - token.obtainedAt;
    // A token that was born expired tells of two clocks that differ: it is used until it is refused.
    if (life <= 0) return "valid";
    if (token.expiresAt <= now()) return "expired";
    return token.expiresAt - Math.min(RENEW_BEFORE, life / 10) > now() ? "valid" : "ending";
  }

  return {
    async current() {
      const known = held === undefined ? "expired" : state(held);
      if (held !== undefined && known === "valid") return held.token;
      if (held !== undefined && known === "ending") {
        // One caller sees to it, at a moment when nothing depends on it; the others go on with what still works.
        if (now() < leisureAt) return held.token;
        leisureAt = now() + TRY_AGAIN;
      }
      const before = held;
      try {
        return await obtaining(storedOrNew);
      } catch (error) {
        const spare = held ?? before;
        if (spare === undefined || state(spare) !== "ending") throw error;
        leisureAt = now() + TRY_AGAIN;
        tokenChannel.publish({ kind: "not renewed" });
        return spare.token;
      }
    },
    latest: () => held?.token,
    async reread(rejected) {
      const before = held;
      if (before !== undefined && before.token !== rejected) return before.token;
      const stored = await readStore();
      if (held !== undefined && held.token !== rejected) return held.token;
      if (stored === undefined || stored.token === rejected) return undefined;
      // What was stored before the token that was just refused is no better.
      if (before !== undefined && stored.obtainedAt < before.obtainedAt) return undefined;
      held = stored;
      return stored.token;
    },
    async renew(rejected) {
      if (held !== undefined && held.token !== rejected) return held.token;
      refused.add(rejected);
      const token = await obtaining(obtainAnother);
      // It may have been read from the store for someone who did not know yet.
      return token === rejected ? obtaining(obtainAnother) : token;
    },
  };
}

/** Counts what happened in the last ten minutes; a clock that is set back forgets. */
function createWindow(now: () => number): { add(): void; count(): number } {
  let times: number[] = [];
  return {
    add: () => void times.push(now()),
    count() {
      times = times.filter((at) => Math.abs(now() - at) < WINDOW);
      return times.length;
    },
  };
}

/** One at a time: who comes while it is under way shares its outcome. */
function singleFlight<T>(): (work: () => Promise<T>) => Promise<T> {
  let pending: Promise<T> | undefined;
  return (work) => {
    pending ??= work().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}

/** Epoch milliseconds of the `exp` claim when the token is a readable JWT. */
function expiryOf(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const exp = (claims as { exp?: unknown } | null)?.exp;
    return typeof exp === "number" && Number.isFinite(exp) ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
