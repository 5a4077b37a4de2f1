import { describe, expect, it } from "vitest";
import { runShadow, startSimulator } from "../../../../lib/local/simulator/index.ts";
import type { Change } from "../../../../lib/local/simulator/model.ts";
import { createShadow, type Shadow } from "../../../../lib/local/simulator/shadow.ts";
import type { Row } from "./support.ts";

const at = (second: number): string => `2026-03-10 12:00:${String(second).padStart(2, "0")}`;

/** One survey whose list is set by the test, newest first; `turning` runs before each page but the first. */
function listOf(rows: Row[]) {
  const list = { rows, turning: () => undefined as unknown };
  let told: (change: Change) => void = () => undefined;
  const service = {
    surveyIds: () => [7],
    peek: (_survey: number, page: number) => {
      return { records: list.rows.slice((page - 1) * 100, page * 100), before: undefined, behind: undefined };
    },
    onChange: (hook: typeof told) => {
      told = hook;
      return () => undefined;
    },
  };
  const shadow = createShadow(service, async () => void list.turning());
  const happens = (kind: Change["kind"], responseId: number): void => told({ kind, surveyId: 7, responseId, at: 0 });
  return { list, shadow, happens };
}

function response(responseId: number, dateCompleted: string, records = 1): Row[] {
  return Array.from({ length: records }, () => ({ responseId, dateCompleted, completed: 1 }));
}

/** Fills pages with what was there long before. */
const old = (count: number, from = 1): Row[] =>
  Array.from({ length: count }, (_, i) => response(from + count - i, at(0))).flat();

const missed = ({ followed }: Pick<Shadow, "followed">) =>
  [...followed.values()].flatMap(({ fate, responseId, why }) => (fate === "missed" ? [[responseId, why]] : []));

/** How often each was given out that it follows. */
const times = ({ followed }: Pick<Shadow, "followed">) => [...followed.values()].map((one) => one.times);

describe("a poller with a cursor", () => {
  it("finds what completes at the top of the list, once", async () => {
    const { list, shadow, happens } = listOf(old(150));
    await shadow.poll();
    list.rows = [...response(900, at(5), 3), ...list.rows];
    happens("completed", 900);

    await shadow.poll();
    await shadow.poll();

    expect([shadow.polls(), shadow.fate(7, 900), times(shadow)]).toEqual([3, "found", [1]]);
  });

  it("takes a response that the edge of two pages cuts for one", async () => {
    const { list, shadow, happens } = listOf(old(150));
    await shadow.poll();
    list.rows = [...response(901, at(6), 99), ...response(900, at(5), 4), ...list.rows];
    for (const id of [900, 901]) happens("completed", id);

    await shadow.poll();

    expect(times(shadow)).toEqual([1, 1]);
  });

  it("misses what completes late, below the page where it stops", async () => {
    const { list, shadow, happens } = listOf(old(150, 1000));
    await shadow.poll();
    list.rows = [...list.rows.slice(0, 120), ...response(5, at(9)), ...list.rows.slice(120)];
    happens("completed", 5);

    await shadow.poll();
    expect(shadow.fate(7, 5)).toBe("onTheWay");
    await shadow.poll();

    expect(missed(shadow)).toEqual([[5, "late"]]);
  });

  it("misses what completes in the second of its cursor", async () => {
    const { list, shadow, happens } = listOf(response(900, at(5)));
    await shadow.poll();
    list.rows = [...response(901, at(5)), ...list.rows];
    happens("completed", 901);

    await shadow.poll();
    await shadow.poll();

    expect(missed(shadow)).toEqual([[901, "tie"]]);
  });

  it("misses what slips to a page already read, and gives out twice what slips to the next one", async () => {
    const { list, shadow, happens } = listOf(old(10));
    await shadow.poll();
    const news = Array.from({ length: 150 }, (_, i) => response(1000 - i, at(8))).flat();
    list.rows = [...news, ...list.rows];
    for (const { responseId } of news) happens("completed", Number(responseId));
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
    for (const { responseId } of more) happens("completed", Number(responseId));
    list.turning = () => {
      list.rows = [...response(3001, at(21)), ...response(3000, at(21)), ...list.rows];
      list.turning = () => undefined;
    };
    await shadow.poll();

    expect(times(shadow).filter((count) => count === 2)).toHaveLength(2);
  });

  it("does not count what was gone before it could be read, nor what was there before it began", async () => {
    const { list, shadow, happens } = listOf(old(150, 1000));
    happens("completed", 1);
    await shadow.poll();
    happens("completed", 5);
    await shadow.poll();
    happens("removed", 5);
    list.rows = old(150, 1000);
    await shadow.poll();

    expect([...shadow.followed.values()]).toMatchObject([{ responseId: 5, fate: "onTheWay", isDeleted: true }]);
  });
});

it("adds up to the same responses as the other poller, also where some were deleted", async () => {
  const { list, shadow, happens } = listOf(response(900, at(5)));
  await shadow.poll();
  // Found, missed, on its way; found and deleted since, and deleted before anybody could read it.
  for (const id of [1, 2, 4, 5]) happens("completed", id);
  list.rows = [...response(1, at(9)), ...response(4, at(8)), ...response(2, at(5)), ...list.rows];
  happens("removed", 5);
  await shadow.poll();
  await shadow.poll();
  happens("completed", 3);
  happens("removed", 4);
  for (const responseId of [1, 2, 3, 4, 6]) shadow.event({ type: "response.completed", surveyId: 7, responseId });

  expect(shadow.view(1)).toEqual({
    completed: 3,
    cursor: { found: 1, missed: 1, onTheWay: 1, deleted: 1, twice: 0 },
    ours: { found: 3, missed: 0, onTheWay: 0, deleted: 1, twice: 1 },
    misses: [expect.objectContaining({ responseId: 2 })],
  });
  shadow.event({ type: "response.deleted", surveyId: 7, responseId: 4 });
  expect(shadow.view(1).ours.deleted).toBe(0);
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
