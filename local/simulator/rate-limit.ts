import type { RateLimit } from "./settings.ts";

/** A token bucket: undefined grants the request, a number is the milliseconds until the next one is granted. */
export function createRateLimiter(now: () => number): (limit: RateLimit | null) => number | undefined {
  let current: RateLimit | null = null;
  let tokens = 0;
  let filledAt = 0;
  return (limit) => {
    if (limit === null) return undefined;
    const at = now();
    if (limit !== current) {
      current = limit;
      tokens = limit.burst;
    } else tokens = Math.min(limit.burst, tokens + ((at - filledAt) / 1000) * limit.perSecond);
    filledAt = at;
    if (tokens < 1) return ((1 - tokens) / limit.perSecond) * 1000;
    tokens -= 1;
    return undefined;
  };
}

/** The value of a Retry-After header for a wait; whole seconds, never less than the wait, unless the form is a number. */
export function retryAfterHeader(waitMs: number, form: RateLimit["retryAfter"], now: () => number): string | undefined {
  if (form === "none") return undefined;
  if (typeof form === "number") return String(form);
  if (form === "seconds") return String(Math.max(1, Math.ceil(waitMs / 1000)));
  return new Date(Math.ceil((now() + waitMs) / 1000) * 1000).toUTCString();
}
