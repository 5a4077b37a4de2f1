import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type CombinedWrites, createCombinedWrites } from "../../../lib/state/combined-writes.ts";

interface Item {
  key: string;
  value: number;
}

/** A request that was made: what it holds, and how it ends. */
interface Request {
  items: Item[];
  done: (undone?: string[]) => void;
  fail: (error: Error) => void;
}

const MOST = 5;
const MOST_ATTEMPTS = 3;

let requests: Request[];
let backOffs: number[];
let write: CombinedWrites<Item>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  requests = [];
  backOffs = [];
  write = createCombinedWrites<Item>({
    keyOf: ({ key }) => key,
    most: MOST,
    write: (items) =>
      new Promise((resolve, reject) => {
        requests.push({ items, done: (undone = []) => resolve(undone), fail: reject });
      }),
    backOff: async (attempt) => {
      backOffs.push(attempt);
      if (attempt >= MOST_ATTEMPTS) throw new Error("busy");
    },
  });
});

afterEach(() => {
  vi.useRealTimers();
});

const item = (key: string, value = 0): Item => ({ key, value });
const items = (...keys: string[]): Item[] => keys.map((key) => item(key));
/** Keys of each request, in the order in which they were made. */
const sent = (): string[] => requests.map((request) => request.items.map(({ key }) => key).join(""));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How a call stands; it is told as soon as it is over. */
function standing(call: Promise<void>): () => string {
  let state = "under way";
  call.then(
    () => {
      state = "durable";
    },
    (error: Error) => {
      state = error.message;
    },
  );
  return () => state;
}

async function answer(request: number, undone: string[] = []): Promise<void> {
  requests[request]?.done(undone);
  await turn();
}

it("goes at once while nothing is under way, in as many requests as it takes", () => {
  void write(items(..."abcdefgh"));

  expect(sent()).toEqual(["abcde", "fgh"]);
});

it("goes at once again after all that came before is over", async () => {
  void write(items("a"));
  await answer(0);

  void write(items("b"));

  expect(sent()).toEqual(["a", "b"]);
  expect(vi.getTimerCount()).toBe(0);
});

it("is over at once when there is nothing to write", async () => {
  const call = standing(write([]));
  await turn();

  expect([call(), sent()]).toEqual(["durable", []]);
});

it("waits for what is under way, and then goes together with all that waits", async () => {
  const calls = [write(items(..."ab")), write(items("c")), write(items(..."de")), write(items("f"))].map(standing);
  expect(sent()).toEqual(["ab"]);

  await answer(0);
  expect(sent()).toEqual(["ab", "cdef"]);
  expect(calls.map((call) => call())).toEqual(["durable", "under way", "under way", "under way"]);

  await answer(1);
  expect(calls.map((call) => call())).toEqual(["durable", "durable", "durable", "durable"]);
  expect(vi.getTimerCount()).toBe(0);
});

it("does not wait any more once it fills a request", async () => {
  const calls = [write(items(..."ab")), write(items(..."cde")), write(items(..."fgh"))].map(standing);
  expect(sent()).toEqual(["ab", "cdefg"]);

  await answer(1);
  // Of the last call one entry is not written yet.
  expect(calls.map((call) => call())).toEqual(["under way", "durable", "under way"]);
  expect(sent()).toEqual(["ab", "cdefg"]);

  await answer(0);
  await answer(2);
  expect(sent()).toEqual(["ab", "cdefg", "h"]);
  expect(calls.map((call) => call())).toEqual(["durable", "durable", "durable"]);
});

it("does not wait for a request that hangs", async () => {
  void write(items("a"));
  void write(items("b"));
  await vi.advanceTimersByTimeAsync(99);
  expect(sent()).toEqual(["a"]);

  await vi.advanceTimersByTimeAsync(1);

  expect(sent()).toEqual(["a", "b"]);
});

it("never names a key twice in requests that are under way together, and what was written last wins", async () => {
  const calls = [
    write([item("a", 1)]),
    write([item("a", 2), item("b", 2)]),
    write([item("a", 3), item("b", 3), item("c", 3)]),
  ].map(standing);
  // What hangs is waited for as long as it takes: a later write of the key must not be overtaken by it.
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent()).toEqual(["a", "bc"]);
  await answer(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent()).toEqual(["a", "bc", "b"]);
  expect(calls.map((call) => call())).toEqual(["under way", "under way", "under way"]);

  for (let i = 0; i < requests.length; i += 1) await answer(i);

  const written = requests.flatMap((request) => request.items);
  expect(written.filter(({ key }) => key === "a").map(({ value }) => value)).toEqual([1, 2, 3]);
  expect(written.filter(({ key }) => key === "b").map(({ value }) => value)).toEqual([2, 3]);
  expect(calls.map((call) => call())).toEqual(["durable", "durable", "durable"]);
  expect(vi.getTimerCount()).toBe(0);
});

it("writes a key that one call names twice one after the other", async () => {
  const call = standing(write([item("a", 1), item("a", 2)]));
  expect(requests.map((request) => request.items)).toEqual([[item("a", 1)]]);
  await answer(0);
  expect(call()).toBe("under way");
  await answer(1);

  expect(requests.map((request) => request.items)).toEqual([[item("a", 1)], [item("a", 2)]]);
  expect(call()).toBe("durable");
});

it("fails exactly the calls that had something in the request that failed, and goes on with the others", async () => {
  const calls = [write(items("a")), write(items(..."bcd")), write(items(..."efg")), write(items("h"))].map(standing);
  expect(sent()).toEqual(["a", "bcdef"]);

  requests[1]?.fail(new Error("broken"));
  await turn();
  // The rest of the third call is not over, and its failure not told before.
  expect(calls.map((call) => call())).toEqual(["under way", "broken", "under way", "under way"]);

  await answer(0);
  expect(sent()).toEqual(["a", "bcdef", "gh"]);
  await answer(2);
  expect(calls.map((call) => call())).toEqual(["durable", "broken", "broken", "durable"]);
});

it("writes what was left undone again, and waits only for one's own", async () => {
  const calls = [write(items("a")), write(items("b")), write(items("c"))].map(standing);
  await answer(0);
  expect(sent()).toEqual(["a", "bc"]);

  await answer(1, ["c"]);

  expect(calls.map((call) => call())).toEqual(["durable", "durable", "under way"]);
  expect(sent()).toEqual(["a", "bc", "c"]);
  expect(backOffs).toEqual([1]);
  await answer(2);
  expect(calls.map((call) => call())).toEqual(["durable", "durable", "durable"]);
});

it("fails what is left undone too often, and nobody else", async () => {
  const calls = [write(items("a")), write(items("b")), write(items("c"))].map(standing);
  await answer(0);
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) await answer(attempt, ["c"]);

  expect(calls.map((call) => call())).toEqual(["durable", "durable", "busy"]);
  expect(backOffs).toEqual([1, 2, 3]);
  // A later write of the same key begins anew.
  const again = standing(write(items("c")));
  await answer(requests.length - 1);
  expect(again()).toBe("durable");
});
