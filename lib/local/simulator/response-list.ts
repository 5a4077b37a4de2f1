import { localTime } from "./dates.ts";
import { hash32 } from "./hashing.ts";
import { questionIndex, type SimulatedResponse } from "./responses.ts";
import type { ListSettings } from "./settings.ts";

/** One record of a list: its response, and its slot in it. */
interface Item {
  response: SimulatedResponse;
  slot: number;
  /** The question by which a scattered list is ordered first. */
  question: number;
  key: number;
}

export type ResponseList = ReturnType<typeof createResponseList>;

const compare = (a: Item, b: Item): number =>
  a.question - b.question || a.key - b.key || a.response.responseId - b.response.responseId || a.slot - b.slot;

/**
 * The listed records of one survey, in order.
 *
 * @param survey its seed, and the number of its questions
 */
export function createResponseList(
  responses: Iterable<SimulatedResponse>,
  { seed, questions }: { seed: number; questions: number },
  settings: ListSettings,
) {
  const { layout, openListed, descQuestions } = settings;
  const step = layout === "interleaved" ? interleaveStep[settings.sortKey] : 0;

  function itemsOf(response: SimulatedResponse): Item[] {
    if (response.completedAt === null && !openListed) return [];
    const key = sortKey(seed, response, settings);
    return Array.from({ length: response.records }, (_, slot) => ({
      response,
      slot,
      question: layout === "scattered" ? questionIndex(seed, response, slot, questions) : 0,
      key: key + slot * step,
    }));
  }

  const items = Array.from(responses, itemsOf).flat().sort(compare);

  /** The index at which an item stands, or would. */
  function placeOf(item: Item): number {
    let [low, high] = [0, items.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(items[middle] as Item, item) >= 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  return {
    /** Records listed. */
    total: () => items.length,
    /** The records from number `from`, counted from the end for desc. */
    read(from: number, count: number, order: "asc" | "desc"): Pick<Item, "response" | "slot">[] {
      if (order === "asc") return items.slice(from, from + count);
      const end = Math.max(0, items.length - from);
      const read = items.slice(Math.max(0, end - count), end).reverse();
      const isTurned = layout === "contiguous" && descQuestions === "ascending";
      return isTurned ? read.map(({ response, slot }) => ({ response, slot: response.records - 1 - slot })) : read;
    },
    add(response: SimulatedResponse): void {
      for (const item of itemsOf(response)) items.splice(placeOf(item), 0, item);
    },
    /** Takes out a response as it was added, before it changes. */
    remove(response: SimulatedResponse): void {
      for (const item of itemsOf(response)) items.splice(placeOf(item), 1);
    },
  };
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
