import { describe, expect, it } from "vitest";
import { createVolatileFields, type VolatileFields } from "../../../../lib/polling/model/volatile-fields.ts";
import { createPageComparison, standsAs } from "../../../../lib/polling/walk/page-comparison.ts";
import { type Page, toPage } from "../../../../lib/polling/walk/pages.ts";
import { range } from "../../../support/survey.ts";

interface Row {
  responseId: unknown;
  questionId: number;
  answer?: number[];
  comment?: string;
}

const rows = (ids: number[], more: (id: number, k: number) => object = () => ({})): Row[] =>
  ids.flatMap((responseId) =>
    [1, 2, 3].map((k) => ({ responseId, questionId: k, completed: 1, answer: [k], ...more(responseId, k) })),
  );

/** One page after the other, each read of a page. */
function pagesOf(volatile: VolatileFields) {
  return (records: Row[], number = 1): Page => {
    const page = toPage(number, { kind: "page", records }, volatile);
    if (page === undefined) throw new Error("there is no such page");
    return page;
  };
}

function newComparison(known?: string[]) {
  const told: string[][] = [];
  const volatile = createVolatileFields(known, (fields) => told.push(fields));
  return { told, page: pagesOf(volatile), ...createPageComparison(volatile, () => undefined) };
}

const signed = (read: number): Row[] => rows([1, 2], (id) => (id === 1 ? { comment: `signed ${read}` } : {}));

describe("two reads of a page", () => {
  it("are the same from the third in a row on that differs in the same field of the same record", () => {
    const { page, isSame, told } = newComparison();
    const reads = [1, 2, 3, 4].map((read) => page(signed(read)));
    const same = reads.slice(1).map((read, i) => isSame(reads[i], read));
    expect(same).toEqual([false, false, true]);
    expect(told).toEqual([["comment"]]);
    expect(new Set(reads.map(({ digest }) => digest)).size).toBe(1);
  });

  it("which differ in what changes now and then are not", () => {
    const { page, isSame, told } = newComparison();
    let last = page(signed(0));
    for (let read = 1; read <= 20; read += 1) {
      const again = page(signed(Math.floor(read / 2)));
      expect(isSame(last, again)).toBe(read % 2 === 1);
      last = again;
    }
    expect(told).toEqual([]);
  });

  it.each([
    [
      "in another record each time",
      (read: number) => rows([1, 2, 3, 4, 5], (id) => ({ comment: id === read ? "!" : "" })),
    ],
    [
      "in another field each time",
      (read: number) => rows([1, 2], () => ({ [["comment", "score", "crk", "iso3166"][read] ?? ""]: read })),
    ],
    ["because a record came", (read: number) => rows([1, 2].slice(0, 1 + (read % 2)))],
    ["because records moved", (read: number) => rows([1, 2, 3, 4, 5].slice(read - 1, read + 1))],
    [
      "in what tells records apart",
      (read: number) => rows([1, 2]).map((row, i) => ({ ...row, questionId: 10 * read + i })),
    ],
  ])("that differ %s are never taken for the same", (_, at) => {
    const { page, isSame, told } = newComparison();
    const reads = [1, 2, 3, 4].map((read) => page(at(read)));
    expect(reads.slice(1).map((read, i) => isSame(reads[i], read))).toEqual([false, false, false]);
    expect(told).toEqual([]);
  });

  it("of one response alone that is longer than the page may have moved by some of its records", () => {
    const { page, isSame, told } = newComparison();
    const all = Array.from({ length: 110 }, (_, i) => ({ responseId: 1, questionId: 1, completed: 1, answer: [i] }));
    const reads = [0, 1, 2, 3].map((from) => page(all.slice(from, from + 100)));
    expect(reads.slice(1).map((read, i) => isSame(reads[i], read))).toEqual([false, false, false]);
    expect(told).toEqual([]);
  });

  it("of one response alone teach what it does not answer", () => {
    const { page, isSame, told } = newComparison();
    const read = (readAt: number) =>
      page(Array.from({ length: 100 }, (_, i) => ({ responseId: 1, questionId: 1, answer: [i], readAt })));
    const reads = [1, 2, 3, 4].map(read);
    expect(reads.slice(1).map((one, i) => isSame(reads[i], one))).toEqual([false, false, true]);
    expect(told).toEqual([["*"]]);
  });

  it("are compared in whatever order their fields came once that is known", () => {
    const { page, isSame, told } = newComparison([]);
    const turned = rows([1, 2]).map((row) => Object.fromEntries(Object.entries(row).reverse()) as unknown as Row);
    expect(isSame(page(rows([1, 2])), page(turned))).toBe(true);
    expect(isSame(page(rows([1, 2])), page(signed(1)))).toBe(false);
    expect(told).toEqual([]);
  });
});

describe("reads of two pages", () => {
  it("teach nothing, however alike they are", () => {
    const { page, isSame, told } = newComparison();
    for (let read = 1; read <= 5; read += 1)
      expect(isSame(page(signed(read), read), page(signed(read + 1), read + 1))).toBe(false);
    expect(told).toEqual([]);
  });

  it("tell a repeat once it is known what reads differently each time", async () => {
    const { page, isRepeat, told } = newComparison();
    let read = 0;
    const next = (number: number): Page => {
      read += 1;
      return page(signed(read), number);
    };
    const last = next(7);
    expect(await isRepeat(next(8), last, async (number) => next(number))).toBe(true);
    expect(read).toBe(5);
    expect(told).toEqual([["comment"]]);
  });

  it("tell a repeat also where the page before is read as empty once, by mistake", async () => {
    for (const mistake of [2, 3, 4]) {
      const { page, isRepeat } = newComparison();
      let read = 0;
      const next = (number: number): Page | undefined => {
        read += 1;
        return read === mistake + 1 ? undefined : page(signed(read), number);
      };
      const last = next(7);
      const repeat = next(8);
      if (repeat === undefined) throw new Error("no page");
      expect(await isRepeat(repeat, last, async (number) => next(number))).toBe(true);
    }
  });

  it("tell a repeat where nothing but an undocumented field differs, which reads the same each time on either page", async () => {
    const { page, isRepeat, told } = newComparison();
    let reads = 0;
    const show = (number: number): Page =>
      page(
        rows([1, 2], () => ({ page: number })),
        number,
      );
    const again = async (number: number): Promise<Page> => {
      reads += 1;
      return show(number);
    };
    expect(await isRepeat(show(8), show(7), again)).toBe(true);
    expect(told).toEqual([["*"]]);
    expect(reads).toBe(3);
  });

  describe.each<[string, (row: Row) => Row]>([
    ["on which several are alike but for it", (row) => ({ ...row, questionId: 7 })],
    ["that holds one response alone", (row) => ({ ...row, responseId: 1 })],
  ])("of which each tells by an undocumented field that it is another one, %s,", (_name, changed) => {
    const show =
      (page: (rows: Row[], number: number) => Page, size: number) =>
      (number: number): Page =>
        page(
          rows(range(1, size), () => ({ row: number }))
            .slice(0, size)
            .map((row, i) => changed({ ...row, answer: [i] })),
          number,
        );

    it.each([9, 10, 16, 72])(
      "tell no repeat where they are full and page %i is another: these may be more of them",
      async (end) => {
        const { page, isRepeat, told } = newComparison();
        const shown = show(page, 100);
        const other = page(rows(range(901, 1_000)), end);
        const again = async (number: number): Promise<Page> => (number < end ? shown(number) : other);
        expect(await isRepeat(shown(8), shown(7), again)).toBe(false);
        expect(await isRepeat(shown(8), shown(7), async (number) => (number < end ? shown(number) : undefined))).toBe(
          false,
        );
        expect(told).toEqual([]);
      },
    );

    it("tell a repeat where they are full and all pages behind are like them", async () => {
      const { page, isRepeat, told } = newComparison();
      const shown = show(page, 100);
      expect(await isRepeat(shown(8), shown(7), async (number) => shown(number))).toBe(true);
      expect(told).toEqual([["*"]]);
    });

    it("tell a repeat where they are not", async () => {
      const { page, isRepeat, told } = newComparison();
      const shown = show(page, 99);
      expect(await isRepeat(shown(8), shown(7), async (number) => shown(number))).toBe(true);
      expect(told).toEqual([["*"]]);
    });
  });

  it("tell no repeat where the page before stays as it was", async () => {
    const { page, isRepeat } = newComparison();
    let reads = 0;
    const last = page(signed(1), 7);
    const again = async (number: number): Promise<Page> => {
      reads += 1;
      return page(signed(1), number);
    };
    expect(await isRepeat(page(signed(2), 8), last, again)).toBe(false);
    expect(reads).toBe(4);
    expect(await isRepeat(page(rows([3, 4]), 8), last, again)).toBe(false);
    expect(reads).toBe(4);
  });
});

describe("standsAs", () => {
  const { page } = newComparison();

  it("sees other records, another order only of responses apart", () => {
    expect(standsAs(page(signed(1)), page(signed(2)))).toBe(true);
    expect(standsAs(page(rows([1, 2])), page(rows([2, 1])))).toBe(true);
    expect(standsAs(page(rows([1, 2])), page(rows([1, 3])))).toBe(false);
    expect(standsAs(page(rows([1, 2])), page(rows([1, 2, 3])))).toBe(false);
    expect(standsAs(page(rows([1])), undefined)).toBe(false);
  });

  it("knows records without a readable responseId by their question", () => {
    const orphan = (questionId: number): Row => ({ responseId: "?", questionId });
    expect(standsAs(page([orphan(1), orphan(2)]), page([orphan(2), orphan(1)]))).toBe(true);
    expect(standsAs(page([orphan(1), orphan(2)]), page([orphan(1), orphan(3)]))).toBe(false);
  });
});
