import { expect, it } from "vitest";
import { createModel, type Model } from "../../../../lib/local/simulator/model.ts";
import {
  Listing,
  type ListPlace,
  type ListReading,
  type ReadList,
  readList,
} from "../../../../lib/operator/against/read-list.ts";
import { OutOfTimeError } from "../../../../lib/polling/index.ts";

/** A survey of 300 responses with one record each: three pages, and 3,000 if so wanted. */
function surveyOf(responses = 300, open = 0): Model {
  return createModel({
    surveys: [{ surveyId: 7, responses, open }],
    settings: { recordsPerResponse: 1, openListed: true },
  });
}

interface Reads {
  reads: number[];
  /** Before a page is read. */
  before?: (page: number) => void;
}

function serviceOf(model: Model, { reads, before }: Reads): ListReading["service"] {
  return {
    async page(surveyId, page, order) {
      if (order === "asc") {
        reads.push(page);
        before?.(page);
      }
      const { records } = model.peek(surveyId, page, order);
      return records.length === 0 ? { kind: "none" } : { kind: "page", records };
    },
  };
}

function read(model: Model, before?: Reads["before"], counted = 300, list = new Listing()): Promise<ReadList> {
  const service = serviceOf(model, { reads: [], ...(before === undefined ? {} : { before }) });
  return readList(list, { service, surveyId: 7, counted });
}

it("reads each page twice, and what is listed", async () => {
  const model = surveyOf(280, 20);
  const reads: number[] = [];

  const list = await readList(new Listing(), { service: serviceOf(model, { reads }), surveyId: 7, counted: 300 });

  expect(list).toMatchObject({ pages: 3, moved: false, open: undefined });
  expect(list.rows.map(({ id }) => id)).toEqual(
    [1, 2, 3].flatMap((page) => model.peek(7, page, "asc").records.map((one) => Number(one.responseId))),
  );
  expect(list.rows.filter(({ state }) => state === "open")).toHaveLength(20);
  // One page of the first window stands in the second one, too.
  expect(reads.length).toBeLessThanOrEqual(12);
});

it("goes on from a kept place also where the list has moved since", async () => {
  const model = surveyOf(3_000);
  const begun = new Listing();
  const stop = (page: number): void => {
    if (page > 20) throw new OutOfTimeError();
  };
  await expect(read(model, stop, 3_000, begun)).rejects.toThrow(OutOfTimeError);
  const kept = JSON.parse(JSON.stringify(begun.toPlace())) as ListPlace;
  // Two pages and a half that were met go: what stood behind the place stands before it now.
  for (const { id } of kept.rows.slice(0, 250)) model.remove(7, id);

  const list = await read(model, undefined, 2_750, new Listing(kept));

  expect(list.open).toBeUndefined();
  const listed = model.truth(7).map(({ responseId }) => responseId);
  const met = new Set(list.rows.map(({ id }) => id));
  expect(listed.filter((id) => !met.has(id))).toEqual([]);
});

it("is not sure of a list that never stands still", async () => {
  const model = surveyOf();
  const below = Number(model.peek(7, 1, "asc").records[50]?.responseId);
  let next = 0;
  // What is begun early comes in on page 1, at each read.
  const list = await read(model, () => {
    const gone = model.peek(7, 1, "asc").records[10 + (next++ % 3)];
    if (gone?.responseId !== below) model.remove(7, Number(gone?.responseId));
  });

  expect(list).toMatchObject({ moved: true, open: { code: "pages-moved" } });
});

it("is not sure where the other order shows what no page has shown", async () => {
  const model = surveyOf(1_000);
  const { page } = serviceOf(model, { reads: [] });
  const service: ListReading["service"] = {
    page: (id, number, order) =>
      order === "asc" && number > 5 ? Promise.resolve({ kind: "none" }) : page(id, number, order),
  };

  expect((await readList(new Listing(), { service, surveyId: 7, counted: 1_000 })).open).toEqual({
    code: "range-unreachable",
  });
});

it("is not sure of a list that is empty against its count", async () => {
  expect((await read(surveyOf(0))).open).toEqual({ code: "read-as-empty" });
  expect((await read(surveyOf(0), undefined, 0)).open).toBeUndefined();
});

it("knows what was open at its first look and completed by its last", async () => {
  const model = surveyOf(300, 100);
  const [open = 0] = model.openIds(7);
  let looks = 0;

  // It is on page 1, and completes before that is looked at again.
  const list = await read(model, (page) => {
    looks += page === 1 ? 1 : 0;
    if (looks === 2 && model.openIds(7).includes(open)) model.finish(7, open);
  });

  expect(list.rows.find(({ id }) => id === open)).toMatchObject({ state: "completed", wasOpen: true, moved: true });
});
