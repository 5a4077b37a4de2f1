import { type Plan, startPlannedService } from "./plan.ts";
import { createSharedTokens } from "./tokens.ts";

/** A request and an answer, as a function URL has them (payload format 2.0), as far as they matter here. */
export interface UrlRequest {
  rawPath: string;
  headers: Record<string, string | undefined>;
  requestContext: { http: { method: string } };
  body?: string | undefined;
  isBase64Encoded?: boolean | undefined;
}
export interface UrlAnswer {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

export interface ServiceSettings {
  plan: Plan;
  clientId: string;
  clientSecret: string;
}

export interface AnsweringService {
  answer(request: UrlRequest): Promise<UrlAnswer>;
  close(): Promise<void>;
}

/**
 * The survey service, behind whatever turns a request into a call. Any instance gives the same answers: the contents follow from the plan and the clock, and
 * tokens are known by their signature.
 *
 * @param now epoch milliseconds; default Date.now
 */
export function createService(
  { plan, ...credentials }: ServiceSettings,
  now: () => number = Date.now,
): AnsweringService {
  const tokens = createSharedTokens(credentials.clientSecret);
  const starting = startPlannedService(plan, credentials);
  let own: Promise<string> | undefined;

  async function ask(url: string, request: UrlRequest, authorization: string | undefined): Promise<Response> {
    const { headers, body, isBase64Encoded } = request;
    const type = headers["content-type"];
    return await fetch(`${url}${request.rawPath}`, {
      method: request.requestContext.http.method,
      headers: {
        ...(type === undefined ? {} : { "content-type": type }),
        ...(authorization === undefined ? {} : { authorization }),
      },
      ...(body === undefined ? {} : { body: isBase64Encoded ? Buffer.from(body, "base64").toString("utf8") : body }),
    });
  }

  async function ownToken(url: string): Promise<string> {
    const body = new URLSearchParams({ ...credentials });
    const answer = await fetch(`${url}/oauth/token/`, { method: "POST", body });
    return ((await answer.json()) as { token: string }).token;
  }

  return {
    async answer(request) {
      const { simulator, advance } = await starting;
      advance(now());
      const given = request.headers.authorization;
      const token = /^bearer (\S+)$/.exec(given ?? "")?.[1];
      own ??= ownToken(simulator.url);
      const isGood = token !== undefined && tokens.accepts(token, now());
      const answer = await ask(simulator.url, request, isGood ? `bearer ${await own}` : given);
      const isIssued = request.rawPath.startsWith("/oauth/token") && answer.status === 200;
      const headers: Record<string, string> = {};
      for (const name of ["content-type", "retry-after"]) {
        const value = answer.headers.get(name);
        if (value !== null) headers[name] = value;
      }
      return {
        statusCode: answer.status,
        headers,
        body: isIssued ? JSON.stringify({ token: tokens.issue(now()) }) : await answer.text(),
      };
    },
    async close() {
      await (await starting).simulator.close();
    },
  };
}
