import type { Coordination } from "../coordination.ts";
import { TooManyRenewalsError, WrongCredentialsError } from "../errors.ts";
import { asToken, type IssuedToken, jwtPart } from "./token-body.ts";
import type { AnsweredToken } from "./token-request.ts";

/** The part of a token that is kept between runs. Times are epoch milliseconds. */
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

/** A token that was asked for just now, without the token itself. */
export interface RenewedToken {
  /** The shape of the answer that it came in: names and types, no value. */
  shape: string;
  /** Epoch milliseconds; undefined where nothing that can be believed says when it ends. */
  expiresAt: number | undefined;
  /** Whether it is in the token store, for those who come next. */
  isKept: boolean;
}

/** Validity of a token by section 5 of the API document. */
const VALIDITY = 30 * 24 * 3_600_000;
/** Before its end a token is renewed at leisure: in its last hour, or the last tenth of a short life. */
const RENEW_BEFORE = 3_600_000;
/** Milliseconds; a token that ends sooner by its own claim, when it has just been given, tells of two clocks that differ. */
const LEAST_LIFE = 30_000;
/** A renewal at leisure that failed is tried again after so long. */
const TRY_AGAIN = 300_000;
/** A token refused before so many answers had come is replaced so often at most in this time: clients that revoke each other's make no storm. */
const FEW_ANSWERS = 50;
const MOST_HASTY = 5;
const HASTY_WINDOW = 600_000;
/** Refused tokens that are remembered. */
const MOST_REFUSED = 20;
/** Milliseconds for which nothing is sent once the credentials are refused: requests with the same refused token end in that time. */
const CREDENTIALS_REST = 10_000;

interface TokensOptions {
  store: TokenStore;
  /** Operation 1. */
  request: () => Promise<AnsweredToken>;
  coordination: Coordination;
  now: () => number;
}

export type Tokens = ReturnType<typeof createTokens>;

/** The token of a client: kept, asked for once whatever the number of callers, and replaced when it ends or is refused. */
export function createTokens({ store, request, coordination, now }: TokensOptions) {
  let held: StoredToken | undefined;
  let leisureAt = 0;
  /** Tokens that were found wrong: a store that lags behind may give them again. */
  const refused = new Set<string>();
  /** The token that was asked for here last, until it is accepted for something. */
  let unproved: string | undefined;
  /** The outcome of the last request for a token. */
  let last: RenewedToken | undefined;
  /** Since the last token was asked for. */
  let answers = 0;
  /** Epoch milliseconds of the renewals after few answers. */
  let hasty: number[] = [];
  let credentialsRefused: { error: WrongCredentialsError; at: number } | undefined;
  const obtaining = singleFlight<string>();
  const reading = singleFlight<StoredToken | undefined>();

  const state = (token: StoredToken) => lifeOf(token, now());

  /** @throws WrongCredentialsError when the credentials were refused just now: nothing may be sent then */
  function checkCredentials(): void {
    if (credentialsRefused === undefined) return;
    if (Math.abs(now() - credentialsRefused.at) < CREDENTIALS_REST) throw credentialsRefused.error;
    credentialsRefused = undefined;
  }

  function rememberRefused(token: string): void {
    refused.add(token);
    const [oldest] = refused;
    if (refused.size > MOST_REFUSED && oldest !== undefined) refused.delete(oldest);
  }

  /** Only where no token is left that works: one that does is used whatever was said of the credentials. */
  const orNone = (token: Promise<string>): Promise<string> =>
    token.catch((error: unknown) => {
      if (error instanceof WrongCredentialsError) credentialsRefused ??= { error, at: now() };
      throw error;
    });

  async function obtain(): Promise<string> {
    const issued = await request();
    held = newToken(issued, now());
    unproved = held.token;
    answers = 0;
    const { token, obtainedAt, expiresAt } = held;
    let isKept = true;
    try {
      await store.write(held);
    } catch {
      // It works all the same: only the next process has to ask for one of its own.
      isKept = false;
    }
    last = { shape: issued.shape, expiresAt: expiresAt > obtainedAt ? expiresAt : undefined, isKept };
    return token;
  }

  /** In the place of a token that was refused, unless another client has found one meanwhile. */
  const obtainAnother = (refusedToken: string): Promise<string> =>
    orNone(obtaining(() => coordination.renew({ look: () => reread(refusedToken), ask: replaceRefused })));

  async function replaceRefused(): Promise<string> {
    const isHasty = answers < FEW_ANSWERS;
    // A clock that is set back forgets.
    hasty = hasty.filter((at) => Math.abs(now() - at) < HASTY_WINDOW);
    if (isHasty && hasty.length >= MOST_HASTY) {
      throw new TooManyRenewalsError("five tokens in ten minutes were refused soon after they had come", {
        operation: "get token",
        retryable: true,
        hint: "Something else revokes the tokens: see who uses these credentials too, and give this client its own.",
      });
    }
    const token = await obtain();
    if (isHasty) hasty.push(now());
    return token;
  }

  /** The token kept by whoever renewed it last, if it can be one that works. */
  async function readStore(): Promise<StoredToken | undefined> {
    const stored = await reading(() => store.read());
    const isUsable = stored !== undefined && asToken(stored.token) === stored.token && !refused.has(stored.token);
    return isUsable && state(stored) !== "expired" ? stored : undefined;
  }

  /** The token kept, if it works by what is known of it. */
  async function storedIfValid(): Promise<string | undefined> {
    const stored = await readStore();
    if (stored === undefined) return undefined;
    // Near its end it is still better than none.
    held = stored;
    return state(stored) === "valid" ? stored.token : undefined;
  }

  const storedOrNew = async (): Promise<string> =>
    (await storedIfValid()) ?? coordination.renew({ look: storedIfValid, ask: obtain });

  /** A token kept by someone else meanwhile, if it is not `rejected`. */
  async function reread(rejected: string): Promise<string | undefined> {
    const before = held;
    if (before !== undefined && before.token !== rejected) return before.token;
    const stored = await readStore();
    if (held !== undefined && held.token !== rejected) return held.token;
    if (stored === undefined || stored.token === rejected) return undefined;
    // What was stored before the token that was just refused is no better.
    if (before !== undefined && stored.obtainedAt < before.obtainedAt) return undefined;
    held = stored;
    return stored.token;
  }

  /** Whether this token, the newest, was asked for by this client and never accepted for anything: of another's nobody here can know. */
  const neverAccepted = (token: string): boolean => token === unproved && token === held?.token;

  return {
    checkCredentials,
    reread,
    neverAccepted,
    /** The token that was had last, if any, at once. */
    latest: (): string | undefined => held?.token,
    /** The token to use now. */
    async current(): Promise<string> {
      checkCredentials();
      const before = held;
      const known = before && state(before);
      if (before !== undefined && known !== "expired") {
        // Of one that ends soon one caller sees to it, at a moment when nothing depends on it; the others go on with what still works.
        if (known === "valid" || now() < leisureAt) return before.token;
        leisureAt = now() + TRY_AGAIN;
      }
      return orNone(
        obtaining(storedOrNew).catch((error: unknown) => {
          const spare = held ?? before;
          if (spare === undefined || state(spare) !== "ending") throw error;
          leisureAt = now() + TRY_AGAIN;
          return spare.token;
        }),
      );
    },
    /** Another token than `rejected`, asked for once whatever the number of callers. */
    async renew(rejected: string): Promise<string> {
      checkCredentials();
      if (held !== undefined && held.token !== rejected) return held.token;
      rememberRefused(rejected);
      const token = await obtainAnother(rejected);
      // It may have been read from the store for someone who did not know yet.
      return token === rejected ? obtainAnother(rejected) : token;
    },
    /** Another token in the place of the one in use, however good that is. */
    async replace(): Promise<RenewedToken> {
      checkCredentials();
      const before = held ?? (await readStore());
      last = undefined;
      const token = await orNone(obtaining(() => coordination.renew({ look: async () => undefined, ask: obtain })));
      if (before !== undefined && before.token !== token) rememberRefused(before.token);
      // Shared with who has only read the store.
      return last ?? this.replace();
    },
    /** Called when this token was accepted for something. */
    accepted(token: string): void {
      answers += 1;
      if (token === unproved) unproved = undefined;
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

/** A token that has just been obtained, as it is kept. */
function newToken({ token, life }: IssuedToken, now: number): StoredToken {
  const end = endOf(token);
  if (end !== undefined && end - now >= LEAST_LIFE) return { token, obtainedAt: now, expiresAt: end };
  // One that seems to end at once is used until it is refused.
  const lasts = life ?? (end === undefined ? VALIDITY : 0);
  return { token, obtainedAt: now, expiresAt: now + lasts };
}

function lifeOf(token: StoredToken, now: number): "valid" | "ending" | "expired" {
  const life = token.expiresAt - token.obtainedAt;
  // Nothing that can be believed says when it ends.
  if (life <= 0) return "valid";
  if (token.expiresAt <= now) return "expired";
  return token.expiresAt - Math.min(RENEW_BEFORE, life / 10) > now ? "valid" : "ending";
}

/** Epoch milliseconds of the claim `exp` where the token is a readable JWT that has one. */
function endOf(token: string): number | undefined {
  const { exp } = jwtPart(token, 1);
  return typeof exp === "number" && Number.isFinite(exp * 1000) ? exp * 1000 : undefined;
}
