import fc from "fast-check";
import { type Change, type ListedResponse, pastEnds, type Verdict } from "./moving-list.ts";

// Lists of responses, and what happens to them while they are read.

/** Sizes around the page size as well, where edges fall together. */
const size = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 12 }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 250 }) },
  { weight: 1, arbitrary: fc.constantFrom(1, 49, 50, 51, 99, 100, 101, 199, 200, 201, 250) },
);
const verdict = fc.constantFrom<Verdict>("whole", "whole", "settled", "note");
export const order = fc.constantFrom("asc", "desc");
export const pastEnd = fc.constantFrom(...pastEnds);

export const responses = (most: number, ofVerdict: fc.Arbitrary<Verdict> = verdict): fc.Arbitrary<ListedResponse[]> =>
  fc
    .array(fc.record({ size, verdict: ofVerdict }), { maxLength: most })
    .map((list) => list.map((response, i) => ({ id: i + 1, ...response })));

const place = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }));
const arrival = fc.record({ kind: fc.constant("arrival" as const), place, size, verdict });
const deletion = fc.record({
  kind: fc.constant("deletion" as const),
  place: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
});

/** Changes before some of the reads, by the number of the read. */
const changes = (one: fc.Arbitrary<Change>, perRead: number): fc.Arbitrary<Map<number, Change[]>> =>
  fc
    .array(fc.tuple(fc.integer({ min: 1, max: 60 }), one), { maxLength: perRead })
    .map((list) => Map.groupBy(list, ([read]) => read))
    .map((groups) => new Map([...groups].map(([read, group]) => [read, group.map(([, change]) => change)])));

export const histories = {
  "responses arrive at the newest end": changes(
    arrival.map((one) => ({ ...one, place: 1 })),
    30,
  ),
  "responses arrive anywhere": changes(arrival, 30),
  "responses are deleted anywhere": changes(deletion, 30),
  "responses arrive and are deleted anywhere": changes(fc.oneof(arrival, deletion), 30),
};
