import { onTestFinished } from "vitest";
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
  type TruthResponse,
} from "../../../../lib/local/simulator/index.ts";

export type Row = Record<string, unknown>;

/** The instant at which the clock of these tests stands: 2026-03-10 12:00:00 UTC. */
export const noon = Date.UTC(2026, 2, 10, 12);

/** A simulator that is closed when the test ends, and a client that does no more than a person with curl. Its clock stands at noon unless one is given. */
export async function simulate(options: SimulatorOptions = {}) {
  const simulator = await startSimulator({ now: () => noon, ...options });
  onTestFinished(() => simulator.close());
  let cached: string | undefined;

  async function token(): Promise<string> {
    const answer = await requestToken(simulator, simulator.clientId, simulator.clientSecret);
    return ((await answer.json()) as { token: string }).token;
  }
  /** With both documented headers and a token. */
  async function get(path: string): Promise<Response> {
    cached ??= await token();
    const headers = { authorization: `bearer ${cached}`, "content-type": "application/json" };
    return fetch(`${simulator.url}${path}`, { headers });
  }
  const json = async <T = Row[]>(path: string) => (await (await get(path)).json()) as T;
  const page = (surveyId: number, number: number, order: "asc" | "desc" = "asc") =>
    json(`/api/v3/surveys/${surveyId}/responses/page/${number}/order/${order}/`);
  /** All records of a survey, page by page until an empty one. */
  async function all(surveyId: number, order: "asc" | "desc" = "asc"): Promise<Row[]> {
    const records: Row[] = [];
    for (let number = 1; ; number += 1) {
      const read = await page(surveyId, number, order);
      if (read.length === 0) return records;
      records.push(...read);
    }
  }
  return { simulator, token, get, json, page, all };
}

export function requestToken(simulator: Simulator, clientId: string, clientSecret: string): Promise<Response> {
  const body = new URLSearchParams({ clientId, clientSecret });
  return fetch(`${simulator.url}/oauth/token/`, { method: "POST", body });
}

/** The records of these truths, in the order of an asc list by response id. */
export function recordsOf(truths: readonly TruthResponse[]): Row[] {
  return truths.flatMap((truth) => truth.records);
}

/** Rows in an order that does not depend on the list. */
export function unordered(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

export function at<T>(list: readonly T[], index: number): T {
  const item = list.at(index);
  if (item === undefined) throw new Error(`nothing at ${index} of ${list.length}`);
  return item;
}

/** The distinct values of a field, in the order of their first appearance. */
export function distinct(rows: readonly Row[], field: string): unknown[] {
  return [...new Set(rows.map((row) => row[field]))];
}
