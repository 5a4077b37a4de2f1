import { describe, expect, it, onTestFinished } from "vitest";
import type { RecordsPage } from "../../../../lib/survey-api/index.ts";
import { readPages } from "../../../../lib/survey-api/lists/pages.ts";
import { startSimulator } from "../../../../local/simulator/index.ts";
import { changingList, response } from "../support/changing-list.ts";
import { clientOf, startService } from "../support/service.ts";

const LIST = "/api/v3/surveys/7/responses/page/";

async function collect(pages: AsyncIterable<RecordsPage>): Promise<RecordsPage[]> {
  const read: RecordsPage[] = [];
  for await (const page of pages) read.push(page);
  return read;
}

const shape = (pages: readonly RecordsPage[]): [number, number][] =>
  pages.map(({ page, records }) => [page, records.length]);

const list = (records: number, options = {}) =>
  changingList(
    Array.from({ length: records / 10 }, (_, i) => response(i + 1, 10)),
    options,
  );

// R1
describe("pages()", () => {
  it.each(["empty", "404", "400", "repeatLast", "repeatFirst"] as const)(
    "gives every page of a list, as it is, to an end that is %s",
    async (pastEnd) => {
      const settings = { pastEnd, recordsPerResponse: 10 };
      const simulator = await startSimulator({ surveys: [{ surveyId: 7, responses: 25 }], settings });
      onTestFinished(() => simulator.close());
      const { clientId, clientSecret, url } = simulator;
      const { api } = clientOf({ url }, { credentials: { clientId, clientSecret } });

      const pages = await collect(api.pages(7));
      expect(shape(pages)).toEqual([
        [1, 100],
        [2, 100],
        [3, 50],
      ]);
      expect(pages[1]?.records).toEqual(await api.records(7, { page: 2, order: "asc" }));
      // Whoever begins behind the first page does not know it again.
      const again: [number, number][] = pastEnd === "repeatFirst" ? [[4, 100]] : [];
      expect(shape(await collect(api.pages(7, { order: "desc", from: 3 })))).toEqual([[3, 50], ...again]);
      const [first] = await collect(api.pages(7, { order: "desc" }));
      expect(first?.records).toEqual(await api.records(7, { order: "desc" }));
      const past = { repeatLast: pages[2], repeatFirst: pages[0] }[String(pastEnd)];
      expect(await collect(api.pages(7, { from: 9 }))).toEqual(
        past === undefined ? [] : [{ page: 9, records: past.records }],
      );
    },
  );

  it.each([
    [0, "empty", [1, 2]],
    [100, "empty", [1, 2, 3]],
    [200, "empty", [1, 2, 3, 4]],
    [200, "repeatLast", [1, 2, 3, 4]],
    [250, "repeatLast", [1, 2, 3, 4, 5]],
  ] as const)("reads two pages past the end of %s records, %s there", async (records, pastEnd, read) => {
    const of = list(records, { pastEnd });
    expect(shape(await collect(readPages(of.read, 1))).reduce((sum, [, count]) => sum + count, 0)).toBe(records);
    expect(of.pages).toEqual(read);
  });

  it("goes on behind one empty page, and behind short ones", async () => {
    const of = list(250, {
      sizes: new Map([
        [1, 30],
        [2, 0],
        [3, 99],
      ]),
    });
    expect(shape(await collect(readPages(of.read, 1)))).toEqual([
      [1, 30],
      [3, 99],
      [4, 100],
      [5, 21],
    ]);
  });

  it("goes on behind a page that equals the one before it, when they are pages of their own", async () => {
    const of = changingList([response(1, 200, true), response(2, 5)]);
    expect(shape(await collect(readPages(of.read, 1)))).toEqual([
      [1, 100],
      [2, 100],
      [3, 5],
    ]);
    const atTheEnd = changingList([response(1, 200, true)]);
    expect(shape(await collect(readPages(atTheEnd.read, 1)))).toEqual([
      [1, 100],
      [2, 100],
    ]);
  });

  it("is not misled by one empty page past the end of a list that repeats its last page", async () => {
    const of = list(150, { pastEnd: "repeatLast", glitches: new Set([3]) });
    expect(shape(await collect(readPages(of.read, 1)))).toEqual([
      [1, 100],
      [2, 50],
    ]);
  });

  it("makes no further request after a break", async () => {
    const of = list(500);
    for await (const { page } of readPages(of.read, 1)) if (page === 2) break;
    expect(of.pages).toEqual([1, 2]);
  });

  it("says of the first page what it is: 404 and 400 end a list only behind it", async () => {
    const service = await startService();
    const { api } = clientOf(service);
    service.answers.set(LIST, () => ({ status: 404 }));
    await expect(collect(api.pages(7))).rejects.toMatchObject({ code: "NOT_FOUND" });
    service.answers.set(LIST, () => ({ status: 400 }));
    await expect(collect(api.pages(7))).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(await collect(api.pages(7, { from: 2 }))).toEqual([]);
  });

  it("passes any other error on, after the pages before it", async () => {
    const service = await startService();
    const { api } = clientOf(service, { retry: { attempts: { SERVER_ERROR: 1 } } });
    const record = { responseId: 1, completed: 1 };
    service.answers.set(LIST, ({ path }) => (path.includes("/page/1/") ? { json: [record] } : { status: 500 }));
    const pages: number[] = [];
    const reading = (async () => {
      for await (const { page } of api.pages(7)) pages.push(page);
    })();
    await expect(reading).rejects.toMatchObject({ code: "SERVER_ERROR", status: 500 });
    expect(pages).toEqual([1]);
  });

  it("ends with the reason of its signal", async () => {
    const service = await startService();
    const { api } = clientOf(service);
    const record = { responseId: 1, completed: 1 };
    service.answers.set(LIST, ({ path }) => ({ json: [{ ...record, score: path }] }));
    const controller = new AbortController();
    const reading = (async () => {
      for await (const { page } of api.pages(7, { signal: controller.signal })) {
        if (page === 3) controller.abort(new Error("enough"));
      }
    })();
    await expect(reading).rejects.toThrow("enough");
    expect(service.data()).toHaveLength(3);
  });
});
