import { localTime } from "./dates.ts";
import { hash32 } from "./hashing.ts";
import { questionIndex, type SimulatedResponse } from "./responses.ts";
import type { ListSettings } from "./settings.ts";

/** The listed records of one survey, in order. */
export interface ResponseList {
  /** Records listed. */
  total(): number;
  /**
   * The records from number `from` (counted from the end for desc): each as its response and its slot in it.
   * `questions` orders the records of one response where these stand together.
   */
  read(
    from: number,
    count: number,
    order: "asc" | "desc",
    questions: "ascending" | "descending",
  ): Generator<{ response: SimulatedResponse; slot: number }>;
  add(response: SimulatedResponse): void;
  /** Takes out a response as it was added, before it changes. */
  remove(response: SimulatedResponse): void;
}

/** What stands together in a list: all records of a response, or the one in `slot`. */
interface Item {
  response: SimulatedResponse;
  slot: number;
  /** The question by which a scattered list is ordered first. */
  question: number;
  key: number;
}

const compare = (a: Item, b: Item): number =>
  a.question - b.question || a.key - b.key || a.response.responseId - b.response.responseId || a.slot - b.slot;

/** Whether two settings give the same list. */
export function sameList(a: ListSettings, b: ListSettings): boolean {
  return (
    a.sortKey === b.sortKey &&
    a.layout === b.layout &&
    a.openListed === b.openListed &&
    a.openDateCompleted === b.openDateCompleted &&
    a.zone === b.zone
  );
}

/** @param survey its seed, and the number of its questions */
export function createResponseList(
  responses: Iterable<SimulatedResponse>,
  { seed, questions }: { seed: number; questions: number },
  settings: ListSettings,
): ResponseList {
  const { layout, openListed } = settings;
  const isWhole = layout === "contiguous";
  const step = layout === "interleaved" ? interleaveStep[settings.sortKey] : 0;

  function itemsOf(response: SimulatedResponse): Item[] {
    if (response.completedAt === null && !openListed) return [];
    const key = sortKey(seed, response, settings);
    return Array.from({ length: isWhole ? 1 : response.records }, (_, slot) => ({
      response,
      slot,
      question: layout === "scattered" ? questionIndex(seed, response, slot, questions) : 0,
      key: key + slot * step,
    }));
  }

  const items = Array.from(responses, itemsOf).flat().sort(compare);
  /** How many records the list has up to the end of each item; counted anew behind a change. */
  const ends: number[] = [];

  function total(): number {
    for (let index = ends.length; index < items.length; index += 1)
      ends.push((ends[index - 1] ?? 0) + (isWhole ? (items[index]?.response.records ?? 0) : 1));
    return ends.at(-1) ?? 0;
  }

  /** Puts an item in the place of so many that stand where it belongs. */
  function put(item: Item, removed: number, ...added: Item[]): void {
    const place = firstIndex(items.length, (index) => compare(items[index] as Item, item) >= 0);
    items.splice(place, removed, ...added);
    ends.length = Math.min(ends.length, place);
  }

  return {
    total,
    *read(from, count, order, inResponse) {
      const all = total();
      for (let number = from; number < Math.min(from + count, all); number += 1) {
        const record = order === "asc" ? number : all - 1 - number;
        const index = firstIndex(ends.length, (at) => (ends[at] ?? 0) > record);
        const { response, slot } = items[index] as Item;
        const before = order === "asc" ? record - (ends[index - 1] ?? 0) : (ends[index] ?? 0) - 1 - record;
        const ordered = inResponse === "ascending" ? before : response.records - 1 - before;
        yield { response, slot: isWhole ? ordered : slot };
      }
    },
    add(response) {
      for (const item of itemsOf(response)) put(item, 0, item);
    },
    remove(response) {
      for (const item of itemsOf(response)) put(item, 1);
    },
  };
}

/** The smallest index for which `holds` is true; `holds` must turn from false to true once. */
function firstIndex(size: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Far enough to mix a response with a few neighbours, near enough to keep it within some pages.
const interleaveStep: Record<ListSettings["sortKey"], number> = {
  responseId: 4,
  reversed: 4,
  dateStart: 45,
  dateCompleted: 45,
  hash: 2 ** 22,
};

/** An integer that sorts as the service sorts; dates as the strings shown, a missing one before all others. */
function sortKey(seed: number, response: SimulatedResponse, settings: ListSettings): number {
  const seconds = (instant: number) => Math.floor(localTime(instant, settings.zone) / 1000);
  switch (settings.sortKey) {
    case "responseId":
      return response.responseId;
    case "reversed":
      return -response.responseId;
    case "hash":
      return hash32(seed, response.responseId, 20) >>> 2;
    case "dateStart":
      return seconds(response.startedAt);
    case "dateCompleted":
      if (response.completedAt !== null) return seconds(response.completedAt);
      return settings.openDateCompleted === "dateStart" ? seconds(response.startedAt) : -1;
  }
}
