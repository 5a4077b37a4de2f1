import { MINUTE } from "./units.ts";

/** Milliseconds of one invocation of the function: the most that Lambda gives. */
export const INVOCATION = 15 * MINUTE;
/** Milliseconds of it that are kept for bringing the state home. */
const RESERVE = 20_000;
/** A poll makes so many requests one after the other before anything of it can go out. */
const REQUESTS_IN_A_ROW = 8;

/** Milliseconds that one request may take at most, its connection included. */
export const LONGEST_REQUEST = (INVOCATION - RESERVE) / REQUESTS_IN_A_ROW;
