import { expect, it } from "vitest";
import type { Allowance } from "../../../lib/polling/index.ts";
import { DAY } from "../../support/slow.ts";
import { arrive, at, HOUR, pagesRead, poll, range, surveyOf, worldWith } from "../../support/survey.ts";

/** More than any pass needs. */
const enough = (): Allowance => ({ left: () => 1_000, spend: () => undefined });
const slow = () => ({ head: false, background: { allowance: enough(), kind: "pass" as const } });

// R29
it("one failed look at the other order, at the end of a pass, does not have all of its pages read again", async () => {
  const world = worldWith(range(1, 400).map((responseId) => ({ responseId, size: 10, completed: at(-HOUR) })));
  await poll(world, { listedCount: 400 });
  world.time.now += 8 * DAY;
  let lastPage = 0;
  let isFailing = true;
  world.before.push(({ operation, args: [, page, order] }) => {
    if (operation !== "page") return;
    if (order === "asc") lastPage = Math.max(lastPage, Number(page));
    if (order !== "desc" || page !== 1 || lastPage < 40 || !isFailing) return;
    isFailing = false;
    throw new Error("no answer");
  });
  await expect(poll(world, { listedCount: 400, ...slow() })).rejects.toThrow("no answer");
  expect(world.mark(1).booksOpen).toMatchObject({ code: "pages-unreachable" });

  world.calls.length = 0;
  await poll(world, { listedCount: 400, ...slow() });
  expect(pagesRead(world).length).toBeLessThan(20);
  expect(world.mark(1).booksOpen).toBeUndefined();
  expect(world.mark(1).books).toMatchObject({ listed: 400, emitted: 400 });
});

// I8
it("a crash after the books were closed does not hide what has gone before", async () => {
  const world = worldWith(range(1, 400).map((id) => ({ responseId: id * 9_999, completed: at(-HOUR) })));
  const pass = async (): Promise<unknown> => {
    world.time.now += 8 * DAY;
    return poll(world, { listedCount: surveyOf(world).records.length / 2, ...slow() });
  };
  await poll(world, { listedCount: 400 });
  await pass();
  surveyOf(world).records.splice(100, 20);
  await pass();
  expect(world.mark(1).books?.gone).toBe(10);
  arrive(world, { responseId: 50_000_000, completed: at(0) });
  await poll(world, { listedCount: 391 });

  // The process dies right after it has deleted the older ids.
  let isDead = false;
  let die: () => void = () => undefined;
  const dead = new Promise<void>((resolve) => {
    die = resolve;
  });
  const never = new Promise<void>(() => undefined);
  world.after.push(({ operation, args: [key] }) => {
    if (isDead) return never;
    if (operation !== "delete" || !String(key).endsWith("-listed.json")) return;
    isDead = true;
    die();
    return never;
  });
  await Promise.race([pass(), dead]);
  expect(isDead).toBe(true);
  world.after.length = 0;
  world.time.now += HOUR;
  for (const _ of range(1, 3)) await pass();
  expect(world.mark(1).books?.gone).toBe(10);
});
