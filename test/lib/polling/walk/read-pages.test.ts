import { expect, it } from "vitest";
import type { PageRead } from "../../../../lib/polling/ports.ts";
import { readPages, type Step } from "../../../../lib/polling/walk/read-pages.ts";
import { isWhole } from "../../../../lib/polling/walk/whole.ts";
import { range } from "../../../support/survey.ts";

type Read = (page: number) => Promise<PageRead>;

const readOf = (ids: number[]): PageRead =>
  ids.length === 0
    ? { kind: "none" }
    : { kind: "page", records: ids.map((responseId) => ({ responseId, questionId: 1, completed: 1 })) };

/** A list of responses with one record each, a hundred to a page, but for pages that show something else. */
function listOf(ids: number[], pages: Record<number, () => PageRead> = {}): Read {
  return async (page) => pages[page]?.() ?? readOf(ids.slice((page - 1) * 100, page * 100));
}

const fails = (): never => {
  throw new Error("no answer");
};

async function drained(steps: AsyncGenerator<Step, void>) {
  const whole: number[] = [];
  let last: Step | undefined;
  for await (const step of steps) {
    whole.push(...step.fragments.filter(isWhole).map(({ responseId }) => responseId));
    last = step;
  }
  return { end: { ...last, ...last?.end }, whole };
}

const common = { from: 1, skips: new Set<number>(), classify: async () => undefined };

const full = (read: Read) =>
  drained(
    readPages({ ...common, kind: "full", read, expected: { responses: 0, lastPage: 100 }, isAnchor: () => true }),
  );

// R5
it("a full read of a list that never holds still comes to an end, and says that it has not covered it", async () => {
  const ids = range(1, 1_000);
  const list = listOf(ids);
  const moving: Read = (page) => {
    ids.shift();
    return list(page);
  };
  expect((await full(moving)).end).toMatchObject({ kind: "end", covered: false, moved: true });
});

// R8
it.each<[string, Record<number, () => PageRead>, object, number]>([
  ["a failing page behind one that is not full is no end", { 4: fails }, { kind: "failed", page: 4 }, 249],
  ["the last page once more is the end", { 4: () => readOf(range(201, 250)) }, { kind: "end", seen: "twice" }, 250],
  ["page 1 once more is the end", { 4: () => readOf(range(1, 100)) }, { kind: "end", seen: "twice" }, 250],
  ["no page at all is an empty list", { 1: () => ({ kind: "none" }) }, { kind: "end", isEmpty: true }, 0],
])("of a full read %s", async (_, pages, expected, met) => {
  const { end, whole } = await full(listOf(range(1, 250), pages));
  expect(end).toMatchObject(expected);
  expect(whole).toEqual(range(1, met));
});

// R5
it("a scan leaves the last page when it is over: what stands inside it may go on behind it", async () => {
  const read = listOf(range(1, 250), { 2: () => readOf([...range(101, 197), 300, 301, 300]), 3: () => readOf([301]) });
  const scan = (isOver: (page: number) => boolean) =>
    drained(readPages({ ...common, kind: "scan", read, isNew: () => true, isOver }));
  expect((await scan(() => true)).whole).toEqual(range(1, 99));
  const later = await scan((page) => page === 2);
  expect(later.whole).toEqual(range(1, 100));
  expect(later.end).toMatchObject({ kind: "over", position: 2 });
});
