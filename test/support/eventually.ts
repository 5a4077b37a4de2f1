import { vi } from "vitest";

/** Milliseconds: a loaded machine is slow, and what never comes is no test of speed. */
const LONG = 20_000;

/** Waits until an assertion holds. */
export const eventually = <T>(assertion: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assertion, { interval: 1, timeout: LONG });
