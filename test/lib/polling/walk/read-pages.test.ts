import { describe, expect, it } from "vitest";
import type { PageRead } from "../../../../lib/polling/ports.ts";
import {
  type FullReadOptions,
  readPages,
  type ScanOptions,
  type Step,
} from "../../../../lib/polling/walk/read-pages.ts";
import { isWhole } from "../../../../lib/polling/walk/whole.ts";
import { range } from "../../../support/survey.ts";
import { readOf } from "./pages-of.ts";

/** A list of responses with one record each, a hundred to a page. `before` is called with the number of each request. */
function listOf(count: number, before: (request: number, ids: number[]) => void = () => undefined) {
  const ids = range(1, count);
  const requests: number[] = [];
  const read = async (page: number): Promise<PageRead> => {
    requests.push(page);
    before(requests.length, ids);
    const shown = ids.slice((page - 1) * 100, page * 100);
    return shown.length === 0 ? { kind: "none" } : readOf(...shown.map((id) => `${id}/1`));
  };
  return { ids, requests, read };
}

type Read = (page: number) => Promise<PageRead>;

/** A list whose pages fail, or show something else, where `pages` says so. */
function except(read: Read, pages: Record<number, () => PageRead | Promise<PageRead>>): Read {
  return async (page) => pages[page]?.() ?? (await read(page));
}

const fails = (): never => {
  throw new Error("no answer");
};

async function drained(steps: AsyncGenerator<Step, void>, met = new Set<number>()) {
  const whole = new Set<number>();
  const pages: number[] = [];
  let last: Step | undefined;
  for await (const step of steps) {
    for (const one of step.fragments) {
      met.add(one.responseId);
      if (isWhole(one)) whole.add(one.responseId);
    }
    if (step.page !== undefined) pages.push(step.page.number);
    last = step;
  }
  return { end: { ...last, ...last?.end }, pages, whole: [...whole].sort((a, b) => a - b) };
}

function full(read: Read, more: Partial<FullReadOptions> = {}) {
  const met = new Set<number>();
  const steps = readPages({
    kind: "full",
    from: 1,
    read,
    skips: new Set(),
    classify: async () => undefined,
    expected: { responses: 0, lastPage: 100 },
    isAnchor: ({ runs }) => met.has(runs[0]?.responseId ?? 0),
    ...more,
  });
  return drained(steps, met);
}

// R5 to R9
describe("a full read", () => {
  it("reads every page of a still list twice, and the last one of a window with the next window too", async () => {
    const { read, requests } = listOf(450);
    const { end, pages, whole } = await full(read);
    expect(whole).toEqual(range(1, 450));
    expect(pages).toEqual([1, 2, 3, 4, 5]);
    expect(end).toMatchObject({ kind: "end", seen: "twice", covered: true, moved: false, last: 5 });
    expect(requests).toEqual([1, 1, ...[1, 2, 3, 3, 2, 1], ...[3, 4, 5, 6, 7, 6, 5, 4, 3]]);
  });

  it("of a list that never holds still comes to an end, and says that it has not covered it", async () => {
    const { read } = listOf(1_000, (_, ids) => ids.splice(0, 1));
    expect((await full(read)).end).toMatchObject({ kind: "end", covered: false, moved: true });
  });

  it.each<[string, Record<number, () => PageRead>, object, number]>([
    ["a failing page behind a full one is no end", { 3: fails }, { kind: "failed", page: 3 }, 199],
    ["a failing page behind one that is not full is no end either", { 4: fails }, { kind: "failed", page: 4 }, 249],
    ["the last page once more is the end", { 4: () => tail(201, 250) }, { kind: "end", seen: "twice" }, 250],
    ["page 1 once more is the end", { 4: () => tail(1, 100) }, { kind: "end", seen: "twice" }, 250],
    ["no page at all is an empty list", { 1: () => ({ kind: "none" }) }, { kind: "end", isEmpty: true }, 0],
  ])("%s", async (_, pages, expected, met) => {
    const { end, whole } = await full(except(listOf(250).read, pages));
    expect(end).toMatchObject(expected);
    expect(whole).toEqual(range(1, met));
  });

  it("takes a page that is skipped for the end behind one that is not full", async () => {
    const { end, whole } = await full(except(listOf(250).read, { 4: fails }), { skips: new Set([4]) });
    expect(end).toMatchObject({ kind: "end", seen: "skipped", skipped: [] });
    expect(whole).toEqual(range(1, 250));
  });

  it("goes on behind a page that is skipped, and names it", async () => {
    const { end, whole } = await full(except(listOf(350).read, { 2: fails }), { skips: new Set([2]) });
    expect(end).toMatchObject({ kind: "end", skipped: [2] });
    // The responses at the edges of page 2 may have records on it.
    expect(whole).toEqual([...range(1, 99), ...range(202, 350)]);
  });

  it("that goes on elsewhere begins where all that stands before it was met", async () => {
    const { read, requests } = listOf(850);
    const isAnchor = ({ number }: { number: number }): boolean => number <= 3;
    const { pages } = await full(read, { from: 7, isAnchor, mostAtOnce: () => 1 });
    expect(requests.slice(0, 6)).toEqual([7, 7, 6, 6, 4, 4]);
    expect(pages).toEqual(range(1, 9));
  });
});

const scan = (read: Read, more: Partial<ScanOptions> = {}) =>
  drained(
    readPages({
      kind: "scan",
      from: 1,
      read,
      skips: new Set(),
      classify: async () => undefined,
      isNew: () => false,
      isOver: () => false,
      ...more,
    }),
  );

describe("a scan", () => {
  const isNew = (responseId: number): boolean => responseId > 200;

  it("reads each page once where nothing is new, and ends with one that is not full", async () => {
    const { read, requests } = listOf(250);
    expect((await scan(read)).end).toMatchObject({ kind: "end", seen: "short page", covered: true });
    expect(requests).toEqual([1, 2, 3]);
  });

  it("looks twice at boundaries where something new stands, and at the end behind it", async () => {
    const { read, requests } = listOf(350);
    const { end, whole } = await scan(read, { isNew });
    expect(whole).toEqual(expect.arrayContaining(range(201, 350)));
    expect(end).toMatchObject({ kind: "end", seen: "twice" });
    expect(requests).toEqual([1, 2, 3, 3, 2, 4, 4, 3, 5, 5, 4]);
  });

  it("takes a page that is skipped for the end behind new responses, where their page is not full and reads the same once more", async () => {
    const { end, whole } = await scan(except(listOf(250).read, { 4: fails }), {
      isNew: () => true,
      skips: new Set([4]),
    });
    expect(end).toMatchObject({ kind: "end", seen: "skipped", skipped: [] });
    expect(whole).toEqual(range(1, 250));
  });

  it("stops where it is over", async () => {
    const { read, requests } = listOf(950);
    const enough = await scan(read, { isOver: (page) => page === 2 });
    expect(enough.end).toMatchObject({ kind: "over", position: 2 });
    const late = await scan(read, { from: 3, isOver: () => requests.length >= 4 });
    expect(late.end).toMatchObject({ kind: "over", position: 4 });
    expect(requests).toEqual([1, 2, 3, 4]);
  });

  it("leaves the last page when it is over: what stands inside it may go on behind it", async () => {
    const ties = readOf(...range(101, 197).map((id) => `${id}/1`), "300/1", "301/1", "300/2");
    const read = except(listOf(250).read, { 2: () => ties, 3: () => readOf("301/2") });
    const late = await scan(read, { isNew: () => true, isOver: () => true, from: 1 });
    expect(late.whole).toEqual(range(1, 99));
    const later = await scan(read, {
      isNew: () => true,
      isOver: (page) => page === 2,
    });
    expect(later.whole).toEqual(range(1, 100));
    expect(later.end).toMatchObject({ kind: "over", position: 2 });
  });
});

function tail(first: number, last: number): PageRead {
  return readOf(...range(first, last).map((id) => `${id}/1`));
}
