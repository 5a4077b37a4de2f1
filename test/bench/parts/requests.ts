import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Agent } from "undici";
import { createSurveyApi } from "../../../lib/survey-api/index.ts";
import { measured, median, perSecond, type Row, told } from "../support/measure.ts";

// Requests a second of the client against bare undici with the same number of connections, in turns in one process.

const ROUNDS = 7;
const CONCURRENCY = 16;

type Get = (responseId: number) => Promise<unknown>;

/** So many requests by as many workers as there are connections. */
function rateOf(get: Get, requests: number): Promise<number> {
  const drained = measured(async () => {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < requests) {
        next += 1;
        await get(next);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    return requests;
  });
  return drained.then(perSecond);
}

async function compared(latency: number, requests: number): Promise<Row[]> {
  const service = fork(join(import.meta.dirname, "../support/answers-process.ts"), [String(latency)]);
  const [port] = (await once(service, "message")) as [number];
  const baseUrl = `http://127.0.0.1:${port}`;
  const agent = new Agent({ connections: CONCURRENCY, pipelining: 1 });
  const credentials = { clientId: "bench", clientSecret: "bench" };
  const api = createSurveyApi({ baseUrl, credentials, concurrency: CONCURRENCY });
  const headers = { authorization: "bearer bench", "content-type": "application/json" };
  const bare: Get = async (id) => {
    const path = `/api/v3/surveys/7/responses/${id}/metrics/`;
    const answer = await agent.request({ origin: baseUrl, path, method: "GET", headers });
    return answer.body.json();
  };
  const client: Get = (responseId) => api.read("get metric, single response", { surveyId: 7, responseId });
  const rates: { bare: number; client: number }[] = [];
  for (const get of [bare, client]) await rateOf(get, requests / 2);
  for (let round = 0; round < ROUNDS; round += 1)
    rates.push({ bare: await rateOf(bare, requests), client: await rateOf(client, requests) });
  await api.close();
  await agent.close();
  service.disconnect();
  const ratio = median(rates.map((round) => round.client / round.bare));
  const each = (["client", "bare"] as const).map((name) => median(rates.map((round) => round[name])).toFixed(0));
  return [
    told(`requests of the client's read() at ${latency} ms an answer, of undici alone`, ratio.toFixed(2)),
    told("  client, undici", `${each.join(" and ")} requests/s`),
  ];
}

export async function run(): Promise<Row[]> {
  return [...(await compared(0, 8_000)), ...(await compared(5, 2_400))];
}
