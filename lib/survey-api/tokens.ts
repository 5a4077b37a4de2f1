import { tokenChannel } from "./diagnostics.ts";
import { WrongTokenError } from "./errors.ts";

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
/** Two clients that revoke each other's token must not storm the service. */
const MOST_RENEWALS = 5;
const RENEWAL_WINDOW = 600_000;

export interface TokensOptions {
  store: TokenStore;
  /** Operation 1. */
  request: () => Promise<string>;
  now: () => number;
}

export function createTokens(options: TokensOptions): Tokens {
  const { store, now } = options;
  let held: StoredToken | undefined;
  let renewals: number[] = [];
  let leisureAt = 0;
  const obtaining = singleFlight<string>();
  const reading = singleFlight<StoredToken | undefined>();

  async function obtain(): Promise<string> {
    renewals = renewals.filter((at) => at > now() - RENEWAL_WINDOW);
    if (renewals.length >= MOST_RENEWALS) {
      throw new WrongTokenError("five tokens in ten minutes were refused", {
        operation: "get token",
        hint: "Another client may be revoking them: give this one credentials of its own.",
      });
    }
    renewals.push(now());
    const token = await options.request();
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

  /** The token kept, if it works by what is known of it, or else a new one. */
  async function storedOrNew(): Promise<string> {
    const stored = await reading(() => store.read());
    if (stored !== undefined && state(stored) === "valid") {
      held = stored;
      return stored.token;
    }
    // Near its end it is still better than none.
    if (stored !== undefined && state(stored) === "ending") held = stored;
    return obtain();
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
    async reread(rejected) {
      if (held !== undefined && held.token !== rejected) return held.token;
      const stored = await reading(() => store.read());
      if (held !== undefined && held.token !== rejected) return held.token;
      if (stored === undefined || stored.token === rejected) return undefined;
      held = stored;
      return stored.token;
    },
    async renew(rejected) {
      if (held !== undefined && held.token !== rejected) return held.token;
      return obtaining(obtain);
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
