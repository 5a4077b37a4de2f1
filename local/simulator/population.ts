import { hash32, hashFraction } from "./hashing.ts";
import { crkOf, recordCount, type SimulatedResponse } from "./responses.ts";
import type { ContentSettings } from "./settings.ts";

// Ids of a survey's first responses are 1 to 3 apart, since the account's other surveys take numbers too.
const idStep = 3;
// A survey's range of ids and its records must stay exact in a double.
const mostResponses = 4_000_000;

/** The responses a survey begins with; instants are epoch milliseconds. */
export interface PopulationSpec {
  seed: number;
  firstId: number;
  responses: number;
  open: number;
  completedFrom: number;
  completedTo: number;
  content: ContentSettings;
}

/**
 * The responses of one survey. Those it begins with are computed from their number when asked for; only the ones that
 * came or changed later are stored.
 */
export interface Population {
  /** The first id that is free after the responses it begins with. */
  readonly nextId: number;
  find(responseId: number): SimulatedResponse | undefined;
  findByCrk(crk: string): SimulatedResponse | undefined;
  /** Every id, ascending. */
  ids(): Float64Array;
  put(response: SimulatedResponse): void;
  drop(responseId: number): void;
}

/** Throws a RangeError for more than four million responses. */
export function createPopulation(spec: PopulationSpec): Population {
  const slots = spec.responses + spec.open;
  if (slots > mostResponses) throw new RangeError(`a survey begins with at most ${mostResponses} responses`);
  const from = Math.ceil(spec.completedFrom / 1000);
  const to = Math.max(from, Math.floor(spec.completedTo / 1000));
  const nextId = spec.firstId + slots * idStep;
  const stored = new Map<number, SimulatedResponse>();
  const dropped = new Set<number>();
  const chosenCrks = new Map<string, number>();

  const idOf = (slot: number) => spec.firstId + slot * idStep + (hash32(spec.seed, slot, 10) % idStep);
  const slotOf = (responseId: number): number | undefined => {
    const slot = Math.floor((responseId - spec.firstId) / idStep);
    return slot >= 0 && slot < slots && idOf(slot) === responseId ? slot : undefined;
  };
  // The open ones lie evenly among the others, so that some are old.
  const isOpen = (slot: number) =>
    Math.floor(((slot + 1) * spec.open) / slots) > Math.floor((slot * spec.open) / slots);

  function compute(slot: number, responseId: number): SimulatedResponse {
    const started = from + Math.floor(((slot + hashFraction(spec.seed, slot, 11)) / slots) * (to - from));
    const wanted = started + durationSeconds(spec.seed, responseId);
    const completed =
      wanted <= to ? wanted : started + Math.floor(hashFraction(spec.seed, slot, 12) * (to - started + 1));
    return {
      responseId,
      startedAt: started * 1000,
      completedAt: isOpen(slot) ? null : completed * 1000,
      records: recordCount(spec.seed, responseId, spec.content, {}),
      revision: 0,
      content: spec.content,
      overrides: {},
    };
  }

  function find(responseId: number): SimulatedResponse | undefined {
    const later = stored.get(responseId);
    if (later !== undefined || dropped.has(responseId)) return later;
    const slot = slotOf(responseId);
    return slot === undefined ? undefined : compute(slot, responseId);
  }

  return {
    nextId,
    find,
    findByCrk(crk) {
      const responseId = chosenCrks.get(crk) ?? Number.parseInt(crk.split("-")[0] ?? "", 36);
      const response = find(responseId);
      return response !== undefined && crkOf(spec.seed, response) === crk ? response : undefined;
    },
    ids() {
      const later = [...stored.keys()].filter((responseId) => slotOf(responseId) === undefined);
      const ids = new Float64Array(slots - dropped.size + later.length);
      ids.set(later);
      let filled = later.length;
      for (let slot = 0; slot < slots; slot += 1) {
        const responseId = idOf(slot);
        if (!dropped.has(responseId)) ids[filled++] = responseId;
      }
      return ids.sort();
    },
    put(response) {
      stored.set(response.responseId, response);
      dropped.delete(response.responseId);
      const { crk } = response.overrides;
      if (typeof crk === "string") chosenCrks.set(crk, response.responseId);
    },
    drop(responseId) {
      stored.delete(responseId);
      if (slotOf(responseId) !== undefined) dropped.add(responseId);
    },
  };
}

/** Mostly a quarter of an hour, sometimes a day, rarely a week: completions come late and out of order. */
export function durationSeconds(seed: number, responseId: number): number {
  const kind = hashFraction(seed, responseId, 13);
  const part = hashFraction(seed, responseId, 14);
  if (kind < 0.9) return 60 + Math.floor(part * 840);
  if (kind < 0.98) return 3600 + Math.floor(part * 82_800);
  return 86_400 + Math.floor(part * 518_400);
}
