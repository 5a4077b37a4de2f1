import type { AccountChanges, AccountState, Outages, SingleRead } from "./model/account.ts";
import type { DetailKind } from "./model/ledger-entry.ts";

/** The outcome of one attempt; `code` is the error's own. */
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
  /** Of this tick: whether an operation answers for the response that was emitted last. */
  probes: Partial<Record<DetailKind, Promise<boolean>>>;
  /** Of this tick: the one attempt that is made although the probe has failed. All others wait for what it comes to. */
  trials: Partial<Record<DetailKind, Promise<Outcome>>>;
}

export function learnedBy({
  outages,
  single,
  differs,
  scattered,
}: Pick<AccountState, "outages" | "single" | "differs" | "scattered">): Learned {
  const known = { outages: { ...outages }, single: { compared: 0, equal: 0, silent: 0, ...single } };
  return { ...known, differs, scattered, known: JSON.stringify(known), probes: {}, trials: {} };
}

/** The part to be saved with the account: nothing where nothing was learned, since another tick may have learned something meanwhile. */
export function newlyLearned({ outages, single, known }: Learned): AccountChanges {
  return JSON.stringify({ outages, single }) === known ? {} : { outages, single };
}
