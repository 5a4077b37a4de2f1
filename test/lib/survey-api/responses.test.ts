import { describe, expect, it, onTestFinished } from "vitest";
import type { JoinedResponse, Order, SurveyApi } from "../../../lib/survey-api/index.ts";
import { joinResponses } from "../../../lib/survey-api/joined-responses.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../local/simulator/index.ts";
import { type Change, changingList, type ListOptions, response, toRecord } from "./support/changing-list.ts";
import { clientOf } from "./support/service.ts";

const SURVEY = 7;

async function simulated(options: Omit<SimulatorOptions, "surveys"> & { responses: number }): Promise<{
  simulator: Simulator;
  api: SurveyApi;
}> {
  const { responses, ...rest } = options;
  const simulator = await startSimulator({ ...rest, surveys: [{ surveyId: SURVEY, responses }] });
  onTestFinished(() => simulator.close());
  const { clientId, clientSecret, url } = simulator;
  return { simulator, api: clientOf({ url }, { credentials: { clientId, clientSecret } }).api };
}

async function collect(responses: AsyncIterable<JoinedResponse>): Promise<JoinedResponse[]> {
  const given: JoinedResponse[] = [];
  for await (const one of responses) given.push(one);
  return given;
}

const idsOf = (given: readonly JoinedResponse[]): number[] => given.map(({ responseId }) => responseId);
const sorted = (ids: readonly number[]): number[] => [...ids].sort((a, b) => a - b);

/** What the simulator knows of each response, in the fields that a joined one has too. */
function truthOf(simulator: Simulator): Map<number, unknown[]> {
  return new Map(simulator.truth(SURVEY).map(({ responseId, records }) => [responseId, records]));
}

/** Whether these are the records of a response, in whichever order the list has them. */
function expectWhole(given: readonly JoinedResponse[], truth: ReadonlyMap<number, unknown[]>): void {
  const texts = (records: readonly unknown[] | undefined) => records?.map((record) => JSON.stringify(record)).sort();
  for (const { responseId, records } of given) expect(texts(records)).toEqual(texts(truth.get(responseId)));
}

describe("responses() over HTTP", () => {
  const orders: Order[] = ["asc", "desc"];
  const pastEnds = ["empty", "404", "400", "repeatLast"] as const;
  it.each(orders.flatMap((order) => pastEnds.map((pastEnd) => ({ order, pastEnd }))))(
    "gives every response of a quiet list whole, in list order: $order, past the end $pastEnd",
    async ({ order, pastEnd }) => {
      const settings = { pastEnd, recordsPerResponse: [1, 250] as const, repeatedQuestions: 0.3 };
      const { simulator, api } = await simulated({ responses: 12, settings });
      const truth = truthOf(simulator);
      const given = await collect(api.responses(SURVEY, { order }));
      const inOrder = sorted([...truth.keys()]);
      expect(idsOf(given)).toEqual(order === "asc" ? inOrder : inOrder.reverse());
      expectWhole(given, truth);
    },
  );

  it.each(["responseId", "dateStart", "dateCompleted", "hash"] as const)(
    "loses and cuts nothing that stays while responses come and go, sorted by %s",
    async (sortKey) => {
      const { simulator, api } = await simulated({ responses: 40, settings: { sortKey, recordsPerResponse: [1, 30] } });
      const stays = new Set([...truthOf(simulator).keys()].filter((id) => id % 3 !== 0));
      const goes = [...truthOf(simulator).keys()].filter((id) => !stays.has(id));
      const ever = truthOf(simulator);
      simulator.onPageRead((surveyId, _page, _order, nth) => {
        if (nth % 9 === 2)
          for (const id of simulator.complete(surveyId, 2)) ever.set(id, truthOf(simulator).get(id) ?? []);
        if (nth % 11 === 3) for (const id of goes.splice(0, 2)) simulator.remove(surveyId, id);
      });
      const given = await collect(api.responses(SURVEY, { order: "desc" }));
      const ids = new Set(idsOf(given));
      expect(ids.size).toBe(given.length);
      expect([...stays].filter((id) => !ids.has(id))).toEqual([]);
      expectWhole(given, ever);
    },
  );

  it.each(["interleaved", "scattered"] as const)("ends in RECORDS_APART where records are %s", async (layout) => {
    const { api } = await simulated({ responses: 30, settings: { layout, recordsPerResponse: [4, 8] } });
    for (const prove of [true, false]) {
      const given: JoinedResponse[] = [];
      const reading = (async () => {
        for await (const one of api.responses(SURVEY, { prove })) given.push(one);
      })();
      await expect(reading).rejects.toMatchObject({
        code: "RECORDS_APART",
        retryable: false,
        operation: "get survey responses, page and order",
      });
      expect(given).toEqual([]);
    }
  });

  it("of a survey that is not there is NOT_FOUND, also when it goes while it is read", async () => {
    const { simulator, api } = await simulated({ responses: 100, settings: { pastEnd: "404" } });
    await expect(collect(api.responses(8))).rejects.toMatchObject({ code: "NOT_FOUND", status: 404 });
    simulator.onPageRead((surveyId, _page, _order, nth) => {
      if (nth === 3) simulator.removeSurvey(surveyId);
    });
    await expect(collect(api.responses(SURVEY))).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("ends with the reason of its signal", async () => {
    const { simulator, api } = await simulated({ responses: 100 });
    const controller = new AbortController();
    simulator.onPageRead((_surveyId, page) => {
      if (page === 3) controller.abort(new Error("enough"));
    });
    const reading = collect(api.responses(SURVEY, { signal: controller.signal }));
    await expect(reading).rejects.toThrow("enough");
    const requests = simulator.log().length;
    await expect(collect(api.responses(SURVEY, { signal: controller.signal }))).rejects.toThrow("enough");
    expect(simulator.log()).toHaveLength(requests);
  });
});

describe("reading", () => {
  it("makes no further request after a break", async () => {
    const list = changingList(Array.from({ length: 40 }, (_, i) => response(i + 1, 10)));
    for await (const { responseId } of joinResponses(list.read, true)) if (responseId === 15) break;
    const reads = [...list.pages];
    await new Promise((resolve) => setImmediate(resolve));
    expect(list.pages).toEqual(reads);
    expect(reads).toEqual([1, 2, 1, 3, 2]);
  });

  it("gives what is proved before an error, and then the error", async () => {
    const list = changingList(Array.from({ length: 40 }, (_, i) => response(i + 1, 10)));
    const read = async (page: number) => (page === 3 ? Promise.reject(new Error("no page 3")) : list.read(page));
    const ids: number[] = [];
    const reading = (async () => {
      for await (const { responseId } of joinResponses(read, true)) ids.push(responseId);
    })();
    await expect(reading).rejects.toThrow("no page 3");
    expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("reads the pages of a long response again together, since a part of it may be changed in its place", async () => {
    const edit: Change = { kind: "edit", place: 0 };
    for (const before of [1, 2, 3, 4, 5]) {
      const list = changingList([response(1, 250), response(2, 3)], { changes: new Map([[before, [edit]]]) });
      const [first] = await collect(joinResponses(list.read, true));
      const states = list.versions.map(([one]) => one?.records);
      expect(states).toContainEqual(first?.records.map(({ comment }) => comment));
    }
  });

  it.each([1, 2, 3])("is not deceived by a list that shifts by %s records and back between two reads", async (size) => {
    const initial = Array.from({ length: 30 }, (_, i) => response(i + 1, 7));
    for (const at of [3, 5]) {
      const there: Change = { kind: "arrive", place: 0, size };
      const back: Change = { kind: "leave", place: 0 };
      for (const [first, second] of [
        [there, back],
        [back, there],
      ] as const) {
        const moving = initial.with(0, response(1, size));
        const list = changingList(moving, {
          changes: new Map([
            [at, [first]],
            [at + 1, [second]],
          ]),
        });
        const given = await collect(joinResponses(list.read, true));
        expect(list.deceptions()).toBeGreaterThan(0);
        for (const { id, records } of moving.slice(1)) {
          const own = given.filter(({ responseId }) => responseId === id);
          expect(own.map((one) => one.records.map(({ comment }) => comment))).toEqual([records]);
        }
      }
    }
  });

  it("finds its place again when most of what it had read is gone", async () => {
    const initial = Array.from({ length: 400 }, (_, i) => response(i + 1, 10));
    const gone = Array.from({ length: 250 }, (): Change => ({ kind: "leave", place: 0 }));
    const list = changingList(initial, { changes: new Map([[60, gone]]) });
    const ids = idsOf(await collect(joinResponses(list.read, true)));
    expect(ids.filter((id) => id > 250)).toEqual(initial.map(({ id }) => id).slice(250));
    // Each page of what is left twice, and a few more for the place.
    expect(list.pages.length).toBeLessThan(60 + 2 * 15 + 4 + 12);
  });

  it.each([
    [200, [1, 2, 3, 4, 3, 1, 2, 3]],
    [201, [1, 2, 3, 4, 5, 4, 1, 2, 3, 4]],
  ])("gives %s equal records of one response", async (size, pages) => {
    const list = changingList([response(1, size, true)]);
    const [one, ...others] = await collect(joinResponses(list.read, true));
    expect(others).toEqual([]);
    expect(one?.records).toEqual(Array.from({ length: size }, () => toRecord("1 1")));
    expect(list.pages.toSorted()).toEqual(pages.toSorted());
  });

  it("goes on when a whole page comes in before it, which makes the next page equal to the last one", async () => {
    const initial = Array.from({ length: 30 }, (_, i) => response(i + 1, 10));
    const options: ListOptions = { changes: new Map([[3, [{ kind: "arrive", place: 0, size: 100 }]]]) };
    for (const pastEnd of ["empty", "repeatLast"] as const) {
      const list = changingList(initial, { ...options, pastEnd });
      expect(sorted(idsOf(await collect(joinResponses(list.read, true)))).slice(0, 30)).toEqual(
        initial.map(({ id }) => id),
      );
    }
  });

  it.each([1, 2])("ends in an error when the list changes before every read %s", async (every) => {
    const changes = new Map(
      Array.from({ length: 500 }, (_, i) => [i * every, [{ kind: "arrive", place: 0, size: 1 } satisfies Change]]),
    );
    const list = changingList([response(1, 250), response(2, 250)], { changes });
    await expect(collect(joinResponses(list.read, true))).rejects.toMatchObject({
      code: "SERVER_ERROR",
      retryable: true,
    });
    expect(list.pages.length).toBeLessThan(150);
  });

  it("has the fields that the records repeat, as the first of them has them", async () => {
    const read = async (page: number) =>
      page > 1
        ? []
        : [
            { ...toRecord("1 a"), crk: "k/1" },
            { ...toRecord("1 b"), crk: null },
          ];
    const [one] = await collect(joinResponses(read, true));
    expect(one).toEqual({
      responseId: 1,
      surveyId: 7,
      iso3166: "PL",
      crk: "k/1",
      promoCode: undefined,
      completed: 1,
      dateStart: "2026-03-10 11:00:00",
      dateCompleted: "2026-03-10 12:00:00",
      records: await read(1),
    });
  });
});
