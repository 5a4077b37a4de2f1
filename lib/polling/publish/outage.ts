import type { Outage, Outages, ResponseKey } from "../model/outages.ts";

// When an operation fails for every response of a source, that is no reason to give any of them up. Pure functions over
// what the account keeps of it.

/** Fewer may fail by a fault of their own. */
const SUSPICIOUS = 3;

export function noOutages(): Outages {
  return { metrics: { down: 0 }, metadata: { down: 0 } };
}

/** After an answer at `at` (epoch milliseconds): found and absent both are one. `of` is the response that can be asked for again. */
export function answered(outage: Outage, at: number, of?: Outage["answered"]): Outage {
  const known = of ?? outage.answered;
  return { down: downtime(outage, at), ...(known === undefined ? {} : { answered: known }) };
}

/** After a failure at `at` (epoch milliseconds). */
export function failed(outage: Outage, at: number, response: ResponseKey): Outage {
  const { since, responses, ...rest } = outage.failing ?? { since: at, responses: [] };
  if (responses.length >= SUSPICIOUS || responses.includes(response)) return outage;
  return { ...outage, failing: { ...rest, since: Math.min(since, at), responses: [...responses, response] } };
}

/** Whether so many different responses failed since the last answer that the operation may be at fault, and not they. */
export function isSuspected({ failing }: Outage): boolean {
  return failing !== undefined && failing.confirmed !== true && failing.responses.length >= SUSPICIOUS;
}

/** The suspicion has held: the outage runs since the first of those failures. */
export function confirmed(outage: Outage): Outage {
  return outage.failing === undefined ? outage : { ...outage, failing: { ...outage.failing, confirmed: true } };
}

/** Responses that the next tick asks for in any case while the outage runs; those chosen before stay where there are none. */
export function chosen(outage: Outage, responses: ResponseKey[]): Outage {
  if (!isRunning(outage) || outage.failing === undefined || responses.length === 0) return outage;
  return { ...outage, failing: { ...outage.failing, chosen: responses } };
}

export function isRunning({ failing }: Outage): boolean {
  return failing?.confirmed === true;
}

/** Milliseconds for which the operation has failed for the whole source, until `now`. */
export function downtime({ down, failing }: Outage, now: number): number {
  return failing?.confirmed === true ? down + Math.max(0, now - failing.since) : down;
}
