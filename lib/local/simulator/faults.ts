import type { Operation } from "./routes.ts";

type FaultKind =
  /** The request is held back for `ms` (or between two) before it is looked at; adds to any other fault. */
  | { kind: "latency"; ms: number | readonly [number, number] }
  /** An error status; `retryAfter` in seconds. */
  | { kind: "status"; status: number; retryAfter?: number }
  /** The connection is reset before the request is looked at. */
  | { kind: "reset" }
  /** Half of the right body: the connection ends before the stated length. */
  | { kind: "truncate" }
  /** An HTML page with status 200, as a proxy or a maintenance page sends. */
  | { kind: "html" };

/** A fault and the requests it meets: by default all, until it is cleared. */
export type Fault = FaultKind & {
  operation?: Operation | readonly Operation[];
  surveyId?: number;
  /** Lets so many matching requests pass first. */
  after?: number;
  /** Meets only so many requests. */
  count?: number;
  /** Meets each matching request with this probability, drawn from the simulator's seed. */
  probability?: number;
};

export function createFaults(random: () => number) {
  const active = new Set<{ fault: Fault; skip: number; left: number }>();

  function meets({ fault }: { fault: Fault }, operation: Operation | undefined, surveyId: number | undefined): boolean {
    if (fault.surveyId !== undefined && fault.surveyId !== surveyId) return false;
    return fault.operation === undefined || [fault.operation].flat().some((one) => one === operation);
  }

  return {
    /** Returns a function that clears this fault alone. */
    add(fault: Fault): () => void {
      const entry = { fault, skip: fault.after ?? 0, left: fault.count ?? Number.POSITIVE_INFINITY };
      active.add(entry);
      return () => void active.delete(entry);
    },
    clear: (): void => active.clear(),
    /** The faults that meet this request, used up by it: latencies add, of the others the oldest acts. */
    take(operation: Operation | undefined, surveyId: number | undefined) {
      let delayMs = 0;
      let chosen: Fault | undefined;
      for (const entry of active) {
        const { fault } = entry;
        if (!meets(entry, operation, surveyId)) continue;
        if (fault.kind !== "latency" && chosen !== undefined) continue;
        if (entry.skip > 0) {
          entry.skip -= 1;
          continue;
        }
        if (fault.probability !== undefined && random() >= fault.probability) continue;
        entry.left -= 1;
        if (entry.left <= 0) active.delete(entry);
        if (fault.kind !== "latency") chosen = fault;
        else if (typeof fault.ms === "number") delayMs += fault.ms;
        else delayMs += fault.ms[0] + random() * (fault.ms[1] - fault.ms[0]);
      }
      return { delayMs, fault: chosen };
    },
  };
}
