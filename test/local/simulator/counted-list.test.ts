import { expect, test } from "vitest";
import { createCountedList, type Span } from "../../../local/simulator/counted-list.ts";
import { createRandom } from "../../../local/simulator/hashing.ts";
import { sortOrder } from "../../../local/simulator/response-list.ts";

const byNumber = (a: number, b: number) => a - b;

/** What the list must give: every record as [item, number of the record in it], in the direction of reading. */
function spread(items: readonly (readonly [number, number])[], reverse: boolean): [number, number][] {
  const ordered = [...items].sort(([a], [b]) => (reverse ? b - a : a - b));
  return ordered.flatMap(([item, records]) =>
    Array.from({ length: records }, (_, record): [number, number] => [item, record]),
  );
}

const unfold = (spans: Iterable<Span>): [number, number][] =>
  Array.from(spans).flatMap(({ item, skip, take }) =>
    Array.from({ length: take }, (_, index): [number, number] => [item, skip + index]),
  );

test.each([1, 2, 3])("cuts as a plain array does, through inserts and removals (seed %i)", (seed) => {
  const random = createRandom(seed);
  const draw = (most: number) => Math.floor(random() * most);
  const items = new Map<number, number>();
  for (let item = 0; item < 2000; item += 1) items.set(item * 10, draw(9));
  const list = createCountedList(byNumber, Float64Array.from(items.keys()), Uint16Array.from(items.values()));

  for (let round = 0; round < 40; round += 1) {
    for (let change = 0; change < 60; change += 1) {
      const item = draw(20_000);
      if (items.delete(item)) list.remove(item);
      else {
        const records = draw(9);
        items.set(item, records);
        list.insert(item, records);
      }
    }
    const reverse = random() < 0.5;
    const expected = spread([...items], reverse);
    const from = draw(expected.length + 20);
    expect(list.total()).toBe(expected.length);
    expect(unfold(list.spans(from, 100, reverse))).toEqual(expected.slice(from, from + 100));
  }
});

test("grows from nothing, and can be emptied again", () => {
  const list = createCountedList(byNumber, new Float64Array(), new Uint16Array());
  for (let item = 0; item < 3000; item += 1) list.insert(item, 2);
  expect(list.total()).toBe(6000);
  expect([...list.spans(0, 3, true)]).toEqual([
    { item: 2999, skip: 0, take: 2 },
    { item: 2998, skip: 0, take: 1 },
  ]);
  for (let item = 0; item < 3000; item += 1) list.remove(item);
  expect(list.total()).toBe(0);
  expect([...list.spans(0, 3, false)]).toEqual([]);
});

test("refuses to remove what is not in it", () => {
  const list = createCountedList(byNumber, Float64Array.of(1, 3), Uint16Array.of(1, 1));
  expect(() => list.remove(2)).toThrow("item 2 is not in the list");
});

test.each([
  ["packed", 1],
  ["too large to be packed", 2 ** 50],
])("sorts keys, equal ones in the order given (%s)", (_, scale) => {
  expect([...sortOrder(Float64Array.of(3 * scale, scale, 2 * scale, scale, -scale))]).toEqual([4, 1, 3, 2, 0]);
});
