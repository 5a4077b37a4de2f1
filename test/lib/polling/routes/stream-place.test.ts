import { describe, expect, it } from "vitest";
import type { StreamPosition } from "../../../../lib/polling/model/mark.ts";
import { type Run, readRecord } from "../../../../lib/polling/model/records.ts";
import { goBack, placeOf } from "../../../../lib/polling/routes/stream-place.ts";

/** What a page shows: a response of one record for each id. */
function runsOf(...ids: number[]): Run[] {
  return ids.map((responseId) => ({ responseId, records: [readRecord({ responseId, completed: true })] }));
}

/** The position of a stream that was done with pages up to this one. */
function positionAt(page: number, runs: Run[]): StreamPosition {
  const position: StreamPosition = { page: page - 1, purpose: "catch-up" };
  const place = placeOf(position);
  place.met(page, runs);
  place.keep();
  place.raise(page);
  return position;
}

describe("the place of a stream", () => {
  it("is one page back, and known again by any of its records, as far behind as two pages", () => {
    for (const page of [9, 10, 11]) {
      const place = placeOf(positionAt(10, runsOf(1, 2, 3)));
      expect(place.from).toBe(9);
      for (let i = 9; i < page; i += 1) {
        place.met(i, runsOf(100 + i));
        expect(place.isKnown()).toBe(false);
        expect(place.isLost()).toBe(false);
      }
      place.met(page, runsOf(99, 2));
      expect(place.isKnown()).toBe(true);
      expect(place.isLost()).toBe(false);
      expect(place.atEnd()).toBeUndefined();
    }
  });

  it("is lost where it was not known again by then: it goes back eight pages, then twice as far", () => {
    const position = positionAt(40, runsOf(1, 2, 3));
    const back = placeOf(position);
    for (const page of [39, 40, 41]) back.met(page, runsOf(100 + page));
    expect(back.isLost()).toBe(true);
    expect(back.further()).toEqual({ to: 32, from: 40 });

    goBack(position, back.further());
    expect(position).toEqual({ page: 32, purpose: "catch-up", goneBackFrom: 40, timesBack: 1 });
    const again = placeOf(position);
    // What it meets may be done with, but its place is the one before until that is passed.
    again.met(31, runsOf(131));
    expect(again.isKnown()).toBe(true);
    expect(again.isLost()).toBe(false);
    again.met(33, runsOf(133));
    again.keep();
    expect(again.raise(33)).toBe(true);
    expect(position).toMatchObject({ page: 33, goneBackFrom: 40 });
    expect(placeOf({ ...position, page: 32 }).further()).toEqual({ to: 24, from: 40 });
    expect(placeOf({ ...position, page: 24 }).further()).toEqual({ to: 8, from: 40 });

    again.met(41, runsOf(141));
    again.keep();
    expect(again.raise(41)).toBe(true);
    expect(position).not.toHaveProperty("goneBackFrom");
    expect(position).not.toHaveProperty("timesBack");
    expect(position.sample).toHaveLength(1);
  });

  it("may be lost again on its way back to where it was, and is believed from the second time on until that is passed", () => {
    const position = positionAt(40, runsOf(1, 2, 3));
    const lose = (): boolean => {
      const place = placeOf(position);
      for (let page = place.from; page <= position.page + 1; page += 1) place.met(page, runsOf(1_000 + page));
      if (!place.isLost()) return false;
      goBack(position, place.further());
      return true;
    };
    const goOn = (): void => {
      const place = placeOf(position);
      const page = position.page + 1;
      place.met(page, runsOf(page));
      place.keep();
      place.raise(page);
    };
    expect(lose()).toBe(true);
    expect(lose()).toBe(false);
    goOn();
    expect(position).toMatchObject({ page: 33, goneBackFrom: 40, timesBack: 1 });
    expect(lose()).toBe(true);
    goOn();
    expect(position).toMatchObject({ page: 26, goneBackFrom: 40, timesBack: 2 });
    expect(lose()).toBe(false);
    while (position.page < 41) goOn();
    expect(lose()).toBe(true);
  });

  it("is not raised to a page that was left, though the one behind it is done with", () => {
    const position = positionAt(9, runsOf(1, 2, 3));
    const place = placeOf(position);
    place.met(10, runsOf(4, 5, 6));
    place.met(11, runsOf(7, 8, 9));
    place.keep();
    expect(place.raise(10)).toBe(false);
    expect(position.page).toBe(9);
    expect(place.raise(11)).toBe(true);
    expect(position.page).toBe(11);
  });

  it("begins to count anew what did not hold still, once it is past", () => {
    const position = { ...positionAt(9, runsOf(1)), retries: 7 };
    const place = placeOf(position);
    place.met(9, runsOf(1));
    place.keep();
    place.raise(9);
    expect(position.retries).toBe(7);
    place.met(10, runsOf(2));
    place.keep();
    place.raise(10);
    expect(position).not.toHaveProperty("retries");
  });

  it("is page 1 where the list ends before it, and nothing can have been missed where it is known at the end", () => {
    const position = positionAt(10, runsOf(1, 2, 3));
    const shorter = placeOf(position);
    shorter.met(7, runsOf(107));
    expect(shorter.atEnd()).toEqual({ to: 1 });
    const other = placeOf(position);
    other.met(9, runsOf(109));
    other.met(10, runsOf(110));
    expect(other.atEnd()).toEqual({ to: 2, from: 10 });

    goBack(position, { to: 1 });
    expect(position).toEqual({ page: 1, purpose: "catch-up" });
    const first = placeOf(position);
    first.met(1, runsOf(101));
    expect(first.atEnd()).toBeUndefined();
  });

  it("is raised no further than nothing was left and all is done with", () => {
    const position = positionAt(10, runsOf(1));
    const place = placeOf(position);
    for (const page of [9, 10, 11, 12]) {
      place.met(page, runsOf(page - 9));
      if (page < 12) place.keep();
    }
    expect(place.raise(10)).toBe(false);
    expect(place.raise(12)).toBe(true);
    expect(position.page).toBe(11);
    expect(position.sample).toEqual(runsOf(2).map(({ records: [record] }) => record?.digest));
  });

  it("keeps what its last page has shown where the end of the list comes with no page of its own", () => {
    const position = positionAt(10, runsOf(1));
    const place = placeOf(position);
    place.met(10, runsOf(1));
    place.met(11, runsOf(5, 6));
    place.met(11, []);
    place.keep();
    place.raise(11);
    expect(position.sample).toHaveLength(2);
  });

  it("without a sample, as an earlier version has left it, is believed", () => {
    const place = placeOf({ page: 10, purpose: "catch-up" });
    place.met(9, runsOf(1));
    expect(place.isKnown()).toBe(true);
  });
});
