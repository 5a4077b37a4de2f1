import { onTestFinished } from "vitest";
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
  type TruthResponse,
} from "../../../../lib/local/simulator/index.ts";

export type Row = Record<string, unknown>;

/** A client that does no more than a person with curl: documented headers, no retries. */
export interface Client {
  simulator: Simulator;
  token(): Promise<string>;
  /** GET with both documented headers and a token. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  json<T = Row[]>(path: string): Promise<T>;
  page(surveyId: number, page: number, order?: "asc" | "desc"): Promise<Row[]>;
  /** All records of a survey, page by page until an empty one. */
  all(surveyId: number, order?: "asc" | "desc"): Promise<Row[]>;
}

/** The instant at which the clock of these tests stands: 2026-03-10 12:00:00 UTC. */
export const noon = Date.UTC(2026, 2, 10, 12);

/** A simulator that is closed when the test ends. Its clock stands at noon unless one is given. */
export async function simulate(options: SimulatorOptions = {}): Promise<Client> {
  const simulator = await startSimulator({ now: () => noon, ...options });
  onTestFinished(() => simulator.close());
  let cached: string | undefined;

  const client: Client = {
    simulator,
    async token() {
      const answer = await requestToken(simulator, simulator.clientId, simulator.clientSecret);
      const { token } = (await answer.json()) as { token: string };
      return token;
    },
    async get(path, headers = {}) {
      cached ??= await client.token();
      const documented = { authorization: `bearer ${cached}`, "content-type": "application/json" };
      return fetch(`${simulator.url}${path}`, { headers: { ...documented, ...headers } });
    },
    json: async <T>(path: string) => (await (await client.get(path)).json()) as T,
    page: (surveyId, page, order = "asc") =>
      client.json(`/api/v3/surveys/${surveyId}/responses/page/${page}/order/${order}/`),
    async all(surveyId, order = "asc") {
      const records: Row[] = [];
      for (let page = 1; ; page += 1) {
        const read = await client.page(surveyId, page, order);
        if (read.length === 0) return records;
        records.push(...read);
      }
    },
  };
  return client;
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
