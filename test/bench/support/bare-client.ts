import { Agent } from "undici";
import { both, type Drained, measured } from "./measure.ts";
import { type ServiceProcess, startService } from "./service.ts";

const PAGES_AHEAD = 8;
const SURVEY = 101;
export const CONCURRENCY = 64;

/**
 * Runs something against a service with so many responses, between two drains by the bare client: a machine that becomes slower
 * meanwhile slows both.
 */
export async function besideBare<Result extends { responses: number }>(
  responses: number,
  latency: number,
  run: (service: ServiceProcess) => Promise<Result>,
): Promise<{ bare: Drained; poller: Result }> {
  const service = await startService({ surveys: { [SURVEY]: responses }, latency });
  const before = await drainBare(service.url, SURVEY, CONCURRENCY);
  await service.reset();
  const poller = await run(service);
  const after = await drainBare(service.url, SURVEY, CONCURRENCY);
  service.stop();
  if (poller.responses < responses) throw new Error(`${poller.responses} of ${responses} responses were emitted`);
  return { bare: both(before, after), poller };
}

/**
 * All responses of a survey with their metrics and metadata, by a client that keeps no state, proves nothing and emits nothing:
 * pages ahead, and of each page all sub-requests at once, as many in flight as allowed.
 */
async function drainBare(url: string, surveyId: number, concurrency: number): Promise<Drained> {
  const agent = new Agent({ connections: concurrency, pipelining: 1 });
  const get = async (path: string, headers: Record<string, string>): Promise<unknown> => {
    const answer = await agent.request({ origin: url, path, method: "GET", headers });
    return answer.body.json();
  };
  const headers = { authorization: "", "content-type": "application/json" };
  let inFlight = 0;
  const queue: (() => void)[] = [];
  const limited = async <T>(work: () => Promise<T>): Promise<T> => {
    if (inFlight >= concurrency) await new Promise<void>((resolve) => queue.push(resolve));
    inFlight += 1;
    try {
      return await work();
    } finally {
      inFlight -= 1;
      queue.shift()?.();
    }
  };
  const sub: Promise<unknown>[] = [];
  const seen = new Set<number>();
  const readPage = (page: number): Promise<unknown> =>
    limited(() => get(`/api/v3/surveys/${surveyId}/responses/page/${page}/order/asc/`, headers));
  const drained = await measured(async () => {
    headers.authorization = `bearer ${await tokenOf()}`;
    const pages: Promise<unknown>[] = [];
    for (let page = 1; ; page += 1) {
      while (pages.length < PAGES_AHEAD) pages.push(readPage(page + pages.length));
      const records = (await pages.shift()) as { responseId: number }[];
      if (!Array.isArray(records) || records.length === 0) break;
      for (const { responseId } of records) {
        if (seen.has(responseId)) continue;
        seen.add(responseId);
        sub.push(limited(() => get(`/api/v3/surveys/${surveyId}/responses/${responseId}/metrics/`, headers)));
        sub.push(limited(() => get(`/api/v3/surveys/${surveyId}/responses/${responseId}/metadata/`, headers)));
      }
    }
    await Promise.all([...pages, ...sub]);
    return seen.size;
  });
  await agent.close();
  return drained;

  async function tokenOf(): Promise<string> {
    const answer = await agent.request({
      origin: url,
      path: "/oauth/token/",
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "clientId=bench&clientSecret=bench",
    });
    return ((await answer.body.json()) as { token: string }).token;
  }
}
