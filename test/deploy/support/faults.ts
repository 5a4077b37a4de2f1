import type { Emulator } from "./emulator.ts";

export interface Fault {
  /** Name of an operation such as `PutEvents`, whichever service it is of. */
  operation: string;
  /**
   * throttle: answered 400, nothing done; lose-answer: done, but answered 500; partial: every second entry of a batch fails; kill: done, but
   * the processes of all functions at work are killed before the answer.
   */
  kind: "throttle" | "lose-answer" | "partial" | "kill";
  /** Requests that pass before the first; default 0. Faults of one operation come one after the other. */
  skip?: number;
  /** Requests that meet it; default 1. */
  count?: number;
}

/** Replaces the faults that the requests of functions meet; none ends them. */
export async function setFaults({ url }: Emulator, faults: readonly Fault[]): Promise<void> {
  const answer = await fetch(`${url}/_test/faults`, { method: "POST", body: JSON.stringify(faults) });
  if (!answer.ok) throw new Error(`the emulator takes no faults: ${answer.status}`);
}

/** Those that have not met all of their requests yet, in words. */
export async function faultsLeft({ url }: Emulator): Promise<string[]> {
  const answer = await fetch(`${url}/_test/faults`);
  const faults = (await answer.json()) as Required<Fault & { hits: number }>[];
  return faults
    .filter(({ hits, count }) => hits < count)
    .map(({ operation, kind, hits, count }) => `${operation}: ${kind} met ${hits} of ${count} requests`);
}

/** How often functions have asked for each operation. */
export async function requestsOfFunctions({ url }: Emulator): Promise<Record<string, number>> {
  return (await (await fetch(`${url}/_test/requests`)).json()) as Record<string, number>;
}
