import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Agent } from "undici";
import { createSurveyApi } from "../../../lib/survey-api/index.ts";
import { median } from "../support/measure.ts";

// Requests a second of the client against bare undici with the same number of connections, in turns in one process, and the CPU time of each.

const ROUNDS = 7;
const CONCURRENCY = 16;

type Get = (responseId: number) => Promise<unknown>;
interface Measure {
  perSecond: number;
  cpuMicroseconds: number;
}

async function measure(get: Get, requests: number): Promise<Measure> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < requests) {
      next += 1;
      await get(next);
    }
  };
  const cpu = process.cpuUsage();
  const started = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: requests / seconds, cpuMicroseconds: (user + system) / requests };
}

async function compare(latency: number, requests: number): Promise<void> {
  const server = fork(join(import.meta.dirname, "server.ts"), [String(latency)]);
  const [port] = (await once(server, "message")) as [number];
  const baseUrl = `http://127.0.0.1:${port}`;
  const agent = new Agent({ connections: CONCURRENCY, pipelining: 1 });
  const api = createSurveyApi({
    baseUrl,
    credentials: { clientId: "bench", clientSecret: "bench" },
    concurrency: CONCURRENCY,
  });
  const headers = { authorization: "bearer bench", "content-type": "application/json" };
  const candidates: { name: string; get: Get }[] = [
    {
      name: "bare undici",
      get: async (id) => {
        const path = `/api/v3/surveys/7/responses/${id}/metrics/`;
        const answer = await agent.request({ origin: baseUrl, path, method: "GET", headers });
        return answer.body.json();
      },
    },
    {
      name: "client, read()",
      get: (responseId) => api.read("get metric, single response", { surveyId: 7, responseId }),
    },
    { name: "client, metrics()", get: (responseId) => api.metrics(7, responseId) },
  ];
  const measures = candidates.map((): Measure[] => []);
  for (const { get } of candidates) await measure(get, requests / 2);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { get }] of candidates.entries()) measures[index]?.push(await measure(get, requests));
  }
  const [bare = []] = measures;
  for (const [index, { name }] of candidates.entries()) {
    const own = measures[index] ?? [];
    const ratio = median(own.map(({ perSecond }, round) => perSecond / (bare[round]?.perSecond ?? perSecond)));
    const cpu = median(own.map(({ cpuMicroseconds }) => cpuMicroseconds));
    console.log(
      [
        `${latency} ms`.padEnd(6),
        name.padEnd(18),
        `${Math.round(median(own.map(({ perSecond }) => perSecond)))} requests/s`.padStart(18),
        `${ratio.toFixed(2)} of bare`.padStart(14),
        `${Math.round(cpu)} µs CPU/request`.padStart(22),
      ].join(" "),
    );
  }
  await api.close();
  await agent.close();
  server.disconnect();
}

await compare(0, 8_000);
await compare(5, 2_400);
