import { type CountedList, createCountedList } from "./counted-list.ts";
import { localTime } from "./dates.ts";
import { hash32 } from "./hashing.ts";
import { type Population, questionIndex, type SimulatedResponse } from "./responses.ts";
import { type ListSettings, maxRecords } from "./settings.ts";

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

interface ListContext {
  seed: number;
  questions: number;
  population: Population;
  settings: ListSettings;
}

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

/** Builds the list of all responses; a second or less for a million. */
export function createResponseList(context: ListContext): ResponseList {
  const { seed, questions, population, settings } = context;
  const { layout } = settings;
  const whole = layout === "contiguous";
  const found = (responseId: number): SimulatedResponse => {
    const response = population.find(responseId);
    if (response === undefined) throw new Error(`response ${responseId} is listed but does not exist`);
    return response;
  };
  const isListed = (response: SimulatedResponse) => response.completedAt !== null || settings.openListed;
  const keyOf = (response: SimulatedResponse) => sortKey(seed, response, settings);
  const recordKey = (response: SimulatedResponse, slot: number) =>
    keyOf(response) + (layout === "interleaved" ? slot * interleaveStep[settings.sortKey] : 0);

  function compare(a: number, b: number): number {
    const first = found(responseOf(a));
    const second = found(responseOf(b));
    const byQuestion =
      layout === "scattered"
        ? questionIndex(seed, first, slotOf(a), questions) - questionIndex(seed, second, slotOf(b), questions)
        : 0;
    return byQuestion || recordKey(first, slotOf(a)) - recordKey(second, slotOf(b)) || a - b;
  }

  const sorted = sortedIds(population.ids());
  const items = whole ? sorted.map((responseId) => itemOf(responseId, 0)) : recordItems(sorted);
  const records = new Uint16Array(items.length);
  for (let index = 0; index < items.length; index += 1)
    records[index] = whole ? found(responseOf(items[index] ?? 0)).records : 1;
  const list: CountedList = createCountedList(compare, items, records);

  /** The ids of all listed responses in the order of the service. Typed arrays alone: there may be millions. */
  function sortedIds(ids: Float64Array): Float64Array {
    const listed = ids.filter((responseId) => isListed(found(responseId)));
    const order = sortOrder(listed.map((responseId) => keyOf(found(responseId))));
    return Float64Array.from(order, (index) => listed[index] ?? 0);
  }

  /** One item for each record of these responses. */
  function recordItems(ids: Float64Array): Float64Array {
    const total = ids.reduce((sum, responseId) => sum + found(responseId).records, 0);
    const unsorted = new Float64Array(total);
    const keys = new Float64Array(total);
    let filled = 0;
    // Records that tie stand in the order of their ids.
    for (const [rank, responseId] of (layout === "interleaved" ? ids.toSorted() : ids).entries()) {
      const response = found(responseId);
      for (let slot = 0; slot < response.records; slot += 1) {
        unsorted[filled] = itemOf(responseId, slot);
        // By question first: the rank among the responses stands for their key, which would not fit beside it.
        keys[filled] =
          layout === "scattered"
            ? questionIndex(seed, response, slot, questions) * ids.length + rank
            : recordKey(response, slot);
        filled += 1;
      }
    }
    return Float64Array.from(sortOrder(keys), (index) => unsorted[index] ?? 0);
  }

  function* itemsOf(response: SimulatedResponse): Generator<{ item: number; records: number }> {
    if (!isListed(response)) return;
    if (whole) yield { item: itemOf(response.responseId, 0), records: response.records };
    else
      for (let slot = 0; slot < response.records; slot += 1)
        yield { item: itemOf(response.responseId, slot), records: 1 };
  }

  return {
    total: () => list.total(),
    *read(from, count, direction, inResponse) {
      const backwards = inResponse === "descending";
      for (const { item, skip, take } of list.spans(from, count, direction === "desc")) {
        const response = found(responseOf(item));
        for (let place = skip; place < skip + take; place += 1) {
          const slot = backwards ? response.records - 1 - place : place;
          yield { response, slot: whole ? slot : slotOf(item) };
        }
      }
    },
    add(response) {
      for (const { item, records: count } of itemsOf(response)) list.insert(item, count);
    },
    remove(response) {
      for (const { item } of itemsOf(response)) list.remove(item);
    },
  };
}

// Response and slot in one number: an id below 2^40 leaves room for 4096 slots.
const itemOf = (responseId: number, slot: number) => responseId * maxRecords + slot;
const responseOf = (item: number) => Math.floor(item / maxRecords);
const slotOf = (item: number) => item % maxRecords;

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

/**
 * The indexes of `keys` (integers) in ascending order of their keys, equal keys in the order given. Key and index are packed into one
 * double where they fit. Sorting a million doubles without a comparator takes a tenth of a second, with one more than a second.
 */
export function sortOrder(keys: Float64Array): Uint32Array {
  const size = keys.length;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const key of keys) {
    least = Math.min(least, key);
    most = Math.max(most, key);
  }
  const order = new Uint32Array(size);
  if ((most - least + 1) * size > Number.MAX_SAFE_INTEGER) {
    for (let index = 0; index < size; index += 1) order[index] = index;
    return order.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
  }
  const packed = new Float64Array(size);
  for (let index = 0; index < size; index += 1) packed[index] = ((keys[index] ?? 0) - least) * size + index;
  packed.sort();
  for (let index = 0; index < size; index += 1) order[index] = (packed[index] ?? 0) % size;
  return order;
}
