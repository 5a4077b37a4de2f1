import { describe, expect, it } from "vitest";
import { runShadow, startSimulator } from "../../../../lib/local/simulator/index.ts";
import { createShadow, type Shadow, type ShadowRecord } from "../../../../lib/local/simulator/shadow.ts";

const at = (second: number): string => `2026-03-10 12:00:${String(second).padStart(2, "0")}`;

/** One survey whose list is set by the test, newest first; `turning` runs before each page but the first. */
function listOf(rows: ShadowRecord[]) {
  const list = { rows, turning: () => undefined as unknown };
  const shadow = createShadow({
    surveyIds: () => [7],
    page: (_survey, page) => list.rows.slice((page - 1) * 100, page * 100),
    pause: async () => void list.turning(),
  });
  return { list, shadow };
}

function response(responseId: number, dateCompleted: string, records = 1): ShadowRecord[] {
  return Array.from({ length: records }, () => ({ responseId, dateCompleted, completed: 1 }));
}

/** Fills pages with what was there long before. */
const old = (count: number, from = 1): ShadowRecord[] =>
  Array.from({ length: count }, (_, i) => response(from + count - i, at(0))).flat();

const missed = ({ followed }: Pick<Shadow, "followed">) =>
  [...followed.values()].flatMap(({ fate, responseId, why }) => (fate === "missed" ? [[responseId, why]] : []));

/** How often each was given out that it follows. */
const times = ({ followed }: Pick<Shadow, "followed">) => [...followed.values()].map((one) => one.times);

describe("a poller with a cursor", () => {
  it("finds what completes at the top of the list, once", async () => {
    const { list, shadow } = listOf(old(150));
    await shadow.poll();
    list.rows = [...response(900, at(5), 3), ...list.rows];
    shadow.completed(7, 900, 5_000);

    await shadow.poll();
    await shadow.poll();

    expect([shadow.polls(), shadow.fate(7, 900), times(shadow)]).toEqual([3, "found", [1]]);
  });

  it("takes a response that the edge of two pages cuts for one", async () => {
    const { list, shadow } = listOf(old(150));
    await shadow.poll();
    list.rows = [...response(901, at(6), 99), ...response(900, at(5), 4), ...list.rows];
    for (const id of [900, 901]) shadow.completed(7, id, 5_000);

    await shadow.poll();

    expect(times(shadow)).toEqual([1, 1]);
  });

  it("misses what completes late, below the page where it stops", async () => {
    const { list, shadow } = listOf(old(150, 1000));
    await shadow.poll();
    list.rows = [...list.rows.slice(0, 120), ...response(5, at(9)), ...list.rows.slice(120)];
    shadow.completed(7, 5, 9_000);

    await shadow.poll();
    expect(shadow.fate(7, 5)).toBe("onTheWay");
    await shadow.poll();

    expect(missed(shadow)).toEqual([[5, "late"]]);
  });

  it("misses what completes in the second of its cursor", async () => {
    const { list, shadow } = listOf(response(900, at(5)));
    await shadow.poll();
    list.rows = [...response(901, at(5)), ...list.rows];
    shadow.completed(7, 901, 5_900);

    await shadow.poll();
    await shadow.poll();

    expect(missed(shadow)).toEqual([[901, "tie"]]);
  });

  it("misses what slips to a page already read, and gives out twice what slips to the next one", async () => {
    const { list, shadow } = listOf(old(10));
    await shadow.poll();
    const news = Array.from({ length: 150 }, (_, i) => response(1000 - i, at(8))).flat();
    list.rows = [...news, ...list.rows];
    for (const { responseId } of news) shadow.completed(7, Number(responseId), 8_000);
    // Between page 1 and page 2 the first of the list goes: the first of page 2 is on page 1 then.
    list.turning = () => {
      list.rows = list.rows.slice(1);
    };

    await shadow.poll();
    list.turning = () => undefined;
    await shadow.poll();

    expect(missed(shadow)).toEqual([[900, "moved"]]);
    expect(times(shadow).filter((count) => count === 1)).toHaveLength(149);

    // In the other direction, when somebody completes between two pages.
    const more = Array.from({ length: 150 }, (_, i) => response(2000 - i, at(20))).flat();
    list.rows = [...more, ...list.rows];
    for (const { responseId } of more) shadow.completed(7, Number(responseId), 20_000);
    list.turning = () => {
      list.rows = [...response(3001, at(21)), ...response(3000, at(21)), ...list.rows];
      list.turning = () => undefined;
    };
    await shadow.poll();

    expect(times(shadow).filter((count) => count === 2)).toHaveLength(2);
  });

  it("does not count what was gone before it could be read, nor what was there before it began", async () => {
    const { list, shadow } = listOf(old(150, 1000));
    shadow.completed(7, 1, 0);
    await shadow.poll();
    shadow.completed(7, 5, 9_000);
    await shadow.poll();
    shadow.removed(7, 5);
    list.rows = old(150, 1000);
    await shadow.poll();

    expect([...shadow.followed.values()]).toMatchObject([{ responseId: 5, fate: "onTheWay", isDeleted: true }]);
  });
});

it("reads the simulated list whenever the survey list is read, and costs the service nothing", async () => {
  await using simulator = Object.assign(await startSimulator({ surveys: [{ surveyId: 7, responses: 100 }] }), {
    [Symbol.asyncDispose]: () => simulator.close(),
  });
  const shadow = runShadow(simulator);
  const { url, clientId, clientSecret } = simulator;
  const body = new URLSearchParams({ clientId, clientSecret });
  const { token } = (await (await fetch(`${url}/oauth/token/`, { method: "POST", body })).json()) as { token: string };
  const headers = { authorization: `bearer ${token}`, "content-type": "application/json" };
  const list = (): Promise<Response> => fetch(`${url}/api/v3/surveys/`, { headers });

  await list();
  await expect.poll(() => shadow.polls()).toBe(1);
  const below = simulator.peek(7, 3, "desc").records.map(({ responseId }) => Number(responseId));
  const between = below.find((id) => !below.includes(id - 1) && simulator.truthOf(7, id - 1) === undefined) ?? 0;
  simulator.complete(7, 1, { responseId: between - 1 });
  const [top = 0] = simulator.complete(7);
  for (const polls of [2, 3]) {
    await list();
    await expect.poll(() => shadow.polls()).toBe(polls);
  }

  expect([shadow.fate(7, top), shadow.fate(7, between - 1)]).toEqual(["found", "missed"]);
  expect(simulator.counters()).toMatchObject({ requests: 4, surveys: 3 });
});
