import { createHmac } from "node:crypto";
import { startSimulator } from "../../lib/local/simulator/index.ts";

export interface ServiceSettings {
  /** Epoch milliseconds at which it begins. */
  origin: number;
  clientId: string;
  clientSecret: string;
}

/** A request and an answer of a function URL (payload format 2.0), as far as they matter here. */
interface UrlRequest {
  rawPath: string;
  headers: Record<string, string | undefined>;
  requestContext: { http: { method: string } };
  body?: string | undefined;
  isBase64Encoded?: boolean | undefined;
}
interface UrlAnswer {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** Responses that completed before the service begins. */
export const HISTORY = 40;
/** A response whose answers are too large for an event. */
export const LARGE = { responseId: 2_000_001, records: 12, commentBytes: 100_000 };
const SURVEYS = { small: 101, large: 102 };
/** Milliseconds between two responses that complete once it has begun. */
const EVERY = 10_000;
const FIRST_NEWS = 1_000_000;
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

export const isNews = (responseId: number): boolean => responseId >= FIRST_NEWS && responseId < LARGE.responseId;

/** The survey service, and the function by which what has completed since comes to be in it: that follows from the clock. */
async function startService({ origin, ...credentials }: ServiceSettings): Promise<{ url: string; backlog(): void }> {
  const createdAt = origin - 40 * DAY;
  const [completedFrom, completedTo] = [origin - DAY, origin - MINUTE];
  const small = { surveyId: SURVEYS.small, name: "Smoke: small" };
  const simulator = await startSimulator({
    ...credentials,
    seed: 7,
    surveys: [
      { ...small, responses: HISTORY, open: 0, createdAt, completedFrom, completedTo },
      { surveyId: SURVEYS.large, name: "Smoke: large", createdAt, completedTo: origin },
    ],
  });
  simulator.complete(SURVEYS.large, 1, { ...LARGE, startedAt: origin - MINUTE, completedAt: origin });
  let news = 0;
  return {
    url: simulator.url,
    backlog() {
      for (; origin + (news + 1) * EVERY <= Date.now(); news += 1) {
        const completedAt = origin + (news + 1) * EVERY;
        const times = { startedAt: completedAt - MINUTE, completedAt };
        simulator.complete(SURVEYS.small, 1, { responseId: FIRST_NEWS + news, records: 3, ...times });
      }
    },
  };
}

/** An emulator of AWS serves no function URLs: there the same service is on 127.0.0.1. Gives its address. */
export async function serveOnLoopback(settings: ServiceSettings): Promise<string> {
  const { url, backlog } = await startService(settings);
  setInterval(backlog, 1_000);
  return url;
}

/** Lambda runs as many instances as it likes: all of them have one access token, made from the client's secret. */
async function createInstance(settings: ServiceSettings): Promise<(request: UrlRequest) => Promise<UrlAnswer>> {
  const { url, backlog } = await startService(settings);
  const { clientId, clientSecret } = settings;
  const token = createHmac("sha256", clientSecret).update("token").digest("base64url");
  const body = new URLSearchParams({ clientId, clientSecret });
  const issued = await fetch(`${url}/oauth/token/`, { method: "POST", body });
  const ownToken = ((await issued.json()) as { token: string }).token;

  return async ({ rawPath, headers, requestContext, body: text, isBase64Encoded }) => {
    backlog();
    const { authorization, "content-type": type } = headers;
    const answer = await fetch(`${url}${rawPath}`, {
      method: requestContext.http.method,
      headers: {
        ...(type === undefined ? {} : { "content-type": type }),
        ...(authorization === undefined ? {} : { authorization: authorization.replace(token, ownToken) }),
      },
      ...(text === undefined ? {} : { body: isBase64Encoded === true ? Buffer.from(text, "base64") : text }),
    });
    const isIssued = rawPath.startsWith("/oauth/token") && answer.status === 200;
    return {
      statusCode: answer.status,
      headers: { "content-type": answer.headers.get("content-type") ?? "application/json" },
      body: isIssued ? JSON.stringify({ token }) : await answer.text(),
    };
  };
}

let instance: ReturnType<typeof createInstance> | undefined;

/** The service behind a function URL. Its settings are in the environment, as JSON. */
export async function handler(request: UrlRequest): Promise<UrlAnswer> {
  instance ??= createInstance(JSON.parse(process.env.SERVICE ?? "") as ServiceSettings);
  return (await instance)(request);
}
