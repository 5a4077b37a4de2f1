import { describe, expect, it } from "vitest";
import { type JoinedResponse, joinResponses } from "../../../../lib/survey-api/lists/joined-responses.ts";
import { type Change, changingList, type ListOptions, response, toRecord } from "../support/changing-list.ts";

async function collect(responses: AsyncIterable<JoinedResponse>): Promise<JoinedResponse[]> {
  const given: JoinedResponse[] = [];
  for await (const one of responses) given.push(one);
  return given;
}

const idsOf = (given: readonly JoinedResponse[]): number[] => given.map(({ responseId }) => responseId);
const sorted = (ids: readonly number[]): number[] => [...ids].sort((a, b) => a - b);

describe("joining responses", () => {
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

  it("does not take a response that is moved to the end of the list for one whose records lie apart", async () => {
    const listed = Array.from({ length: 40 }, (_, i) => `${i + 1}`);
    let reads = 0;
    const read = async (page: number) => {
      reads += 1;
      if (reads === 6) listed.push(...listed.splice(2, 1));
      const keys = listed.flatMap((id) => Array.from({ length: 10 }, (_, k) => `${id} ${k}`));
      return keys.slice((page - 1) * 100, page * 100).map(toRecord);
    };
    const ids = idsOf(await collect(joinResponses(read, true)));
    expect(ids).toHaveLength(40);
    expect(sorted(ids)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
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
