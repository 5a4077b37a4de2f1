import type { AccountChanges, AccountState, Outages, SingleRead } from "./model/account.ts";
import type { DetailKind } from "./model/ledger-entry.ts";

/** The outcome of one attempt to get details; `code` is the error's own. */
export type Outcome = { kind: "found"; body: unknown } | { kind: "absent" } | { kind: "failed"; code: string };

/** What is known of a source from polling it. All polls of one tick share it, and the account keeps it. */
export interface Learned {
  outages: Outages;
  single: SingleRead;
  /** Epoch milliseconds since which the single read is known to differ from pages (R11), and records to be scattered over the list (R12). Nothing unlearns it. */
  differs: number | undefined;
  scattered: number | undefined;
  /** As the account had it, as JSON. */
  known: string;
  /** Of this tick: whether an operation answers for a response that was answered before; undefined where there is none. */
  probes: Partial<Record<DetailKind, Promise<boolean | undefined>>>;
  /** Attempts of this tick that were made although the probe had failed: all others wait for what these come to. */
  trials: Record<DetailKind, { new?: Promise<Outcome>; waiting?: Promise<Outcome> }>;
}

export function learnedBy({
  outages,
  single,
  differs,
  scattered,
}: Pick<AccountState, "outages" | "single" | "differs" | "scattered">): Learned {
  const known = { outages: { ...outages }, single: { compared: 0, equal: 0, silent: 0, ...single } };
  const tick = { probes: {}, trials: { metrics: {}, metadata: {} } };
  return { ...known, differs, scattered, known: JSON.stringify(known), ...tick };
}

/** What is to be saved: nothing where nothing was learned, since another tick may have learned something meanwhile. */
export function newlyLearned({ outages, single, known }: Learned): AccountChanges {
  return JSON.stringify({ outages, single }) === known ? {} : { outages, single };
}
