import { randomUUID } from "node:crypto";
import type { RateClaim, RateClaims } from "../state/rate-claims.ts";
import type { SurveyApi } from "../survey-api/index.ts";

/** The part of the client whose rate is shared. */
export type SharingApi = Pick<SurveyApi, "learned" | "share">;

/** Workers of one source that divide the rate which the service allows among them. */
export interface RateSharing {
  /** Takes part from now on, as one whose requests weigh so much; `atOnce` for work that is known to be long. */
  begin(weight: number, options?: { atOnce?: boolean }): void;
  /** The part of the common rate that this worker may take: 1 while it is alone. */
  part(): number;
  /** Gives its part back to the others, and goes on from what all of them may take together. Never rejects. */
  end(): Promise<void>;
}

export interface RateSharingOptions {
  claims: RateClaims;
  api: SharingApi;
  /** Whether the source has a ceiling of its own, which is then divided too. */
  hasCeiling: boolean;
  now: () => number;
  /** Calls `work` again and again at this distance, until the function it gives is called. */
  every: (milliseconds: number, work: () => void) => () => void;
}

/** Milliseconds between two looks at the claims of the others, and for which a claim holds. */
const EVERY = 1_000;
const HOLDS_FOR = 4_000;
/** Share of its part by which a worker may take more or less, and of the difference that is made up for at each look. */
const UNEVEN = 0.2;
const BALANCE = 0.5;

/**
 * Each worker learns from refusals of its own what it may ask for. That takes half a minute to notice that another one has ended, and gives
 * no room to a new one. So each tells the others what it takes while it is limited. Whenever one comes or goes, all divide the sum of what
 * was taken by their weights. While they stay they approach that. As long as nobody is refused anything, nothing is written.
 */
export function createRateSharing({ claims, api, hasCeiling, now, every }: RateSharingOptions): RateSharing {
  const me = randomUUID().slice(0, 8);
  let weight = 1;
  let part = 1;
  let stop: (() => void) | undefined;
  let looking: Promise<void> | undefined;
  /** Whether its rate is what it takes beside the others, and not what all of them take together, as an earlier run has learned. */
  let isOwn = false;
  /** The claims of the others at the last look; undefined before the first. */
  let known: Map<string, RateClaim> | undefined;

  async function look(): Promise<void> {
    const learned = api.learned();
    if (learned === undefined && !hasCeiling) return;
    const own = learned === undefined || !isOwn ? NOTHING : { rate: learned.requestsPerSecond, burst: learned.burst };
    const claim = (given: typeof own) => claims.put(me, { ...given, weight, until: now() + HOLDS_FOR }, now());
    const others = await claim(own);
    const before = known ?? new Map<string, RateClaim>();
    known = others;
    const isNew = !isOwn;
    isOwn = true;
    // What those have taken who are gone is free.
    const gone = [...before].filter(([name]) => !others.has(name)).map(([, claim]) => claim);
    const isSame = others.size === before.size && gone.length === 0;
    part = weight / [...others.values()].reduce((sum, other) => sum + other.weight, weight);
    if (learned === undefined) {
      if (!isSame) api.share({ part, rate: 1, burst: 1 });
      return;
    }
    if (isSame && others.size === 0) return;
    const mine = { rate: learned.requestsPerSecond, burst: learned.burst };
    const taken = sumOf([own, ...others.values(), ...gone]);
    // Nobody has told yet what it takes: what was learned is what all of them may take.
    const whole = taken.rate > 0 ? taken : mine;
    // One that is still finding out what it may take has proved nothing that could be divided.
    if (isSame && (learned.searching || isFair(mine.rate, whole.rate * part))) return;
    const pace = isSame ? BALANCE : 1;
    const given = {
      rate: approach(mine.rate, whole.rate * part, pace),
      burst: approach(mine.burst, whole.burst * part, pace),
    };
    api.share({ part, rate: given.rate / mine.rate, burst: given.burst / mine.burst });
    // The next one to look is to divide what is left. What a new one has taken is still counted as another's, who gives it up first.
    if (!isNew) await claim(given);
  }

  const lookOnce = (): void => {
    looking ??= look()
      // The worker goes on with the rate that it has learned.
      .catch(() => undefined)
      .finally(() => {
        looking = undefined;
      });
  };

  return {
    part: () => part,
    begin(given, { atOnce = false } = {}) {
      if (stop !== undefined) return;
      weight = given;
      isOwn = api.learned() === undefined;
      if (atOnce) lookOnce();
      stop = every(EVERY, lookOnce);
    },
    async end() {
      stop?.();
      stop = undefined;
      await looking;
      if (known === undefined) return;
      known = undefined;
      await claims.remove(me).catch(() => undefined);
      if (part === 1) return;
      // The next run begins with what all of them may take together, as others tell it.
      api.share({ part: 1, rate: 1 / part, burst: 1 / part });
      part = 1;
    },
  };
}

const NOTHING = { rate: 0, burst: 0 };

function sumOf(claims: readonly Pick<RateClaim, "rate" | "burst">[]): { rate: number; burst: number } {
  return claims.reduce((sum, { rate, burst }) => ({ rate: sum.rate + rate, burst: sum.burst + burst }), NOTHING);
}

const isFair = (rate: number, fair: number): boolean => Math.abs(rate - fair) <= fair * UNEVEN;

const approach = (from: number, to: number, pace: number): number => from + (to - from) * pace;
