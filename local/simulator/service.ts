import type { Faults } from "./faults.ts";
import { delay, type Fault } from "./faults.ts";
import type { HttpOutcome, HttpReply, HttpRequest } from "./http-server.ts";
import type { Answer } from "./operation-context.ts";
import { createRateLimiter } from "./rate-limit.ts";
import { createReplies } from "./replies.ts";
import type { RequestLog } from "./request-log.ts";
import { findRoute, type Route } from "./routes.ts";
import type { Settings } from "./settings.ts";
import { tokenBody } from "./token-bodies.ts";
import { sameSecret, type Tokens } from "./tokens.ts";

export interface ServiceContext {
  clientId: string;
  clientSecret: string;
  settings: () => Settings;
  now: () => number;
  faults: Faults;
  tokens: Tokens;
  log: RequestLog;
  operate: (route: Route) => Answer;
}

/** The service from request to reply: route, faults, rate limit, headers, operation. */
export function createService(context: ServiceContext): (request: HttpRequest) => Promise<HttpOutcome> {
  const { settings, now, faults, tokens, log } = context;
  const waitFor = createRateLimiter(now);
  const { verbatim, reply, refusal } = createReplies(settings, now);

  return async (request) => {
    const at = now();
    const route = findRoute(request.method, request.path);
    const survey = route?.parameters.survey;
    const { delayMs, fault } = faults.take(route?.operation, survey === undefined ? undefined : Number(survey));
    await delay(delayMs);
    const outcome = faulty(fault) ?? damaged(right(request, route), fault);
    log.add({
      operation: route?.operation ?? "unknown",
      method: request.method,
      path: request.path,
      headers: { ...request.headers },
      body: request.body,
      status: typeof outcome === "string" ? 0 : outcome.status,
      at,
    });
    return outcome;
  };

  /** The reply in place of the right one, if this fault keeps the service from looking at the request. */
  function faulty(fault: Fault | undefined): HttpOutcome | undefined {
    switch (fault?.kind) {
      case "hang":
        return "hang";
      case "reset":
        return fault.when === "before" ? "reset" : undefined;
      case "html":
        return reply(200, { body: "<!doctype html><title>Maintenance</title><p>Back soon.</p>", type: "text/html" });
      case "body":
        return verbatim(fault.status ?? 200, { body: fault.body, type: fault.contentType ?? "application/json" });
      case "status":
        return refusal(fault.status, fault.retryAfter, fault.retryAfterForm ?? "seconds");
    }
    return undefined;
  }

  function right(request: HttpRequest, route: Route | undefined): HttpOutcome {
    if (route === undefined) return refusal(404);
    const { rateLimit } = settings();
    if (rateLimit !== null && (rateLimit.v2 === true || !route.operation.startsWith("v2-"))) {
      const wait = waitFor(rateLimit);
      if (wait !== undefined) return refusal(429, wait / 1000, rateLimit.retryAfter);
    }
    if (route.operation === "token") return tokenReply(request);
    if (!hasDocumentedHeaders(request)) return refusal(400);
    const answer = context.operate(route);
    if (answer === "hang") return answer;
    const { status, body } = answer;
    return status === 200 ? reply(status, { body: JSON.stringify(body), type: "application/json" }) : refusal(status);
  }

  function tokenReply(request: HttpRequest): HttpReply {
    const fields = new URLSearchParams(request.body);
    const clientId = fields.get("clientId");
    const clientSecret = fields.get("clientSecret");
    const form = (request.headers["content-type"] ?? formType).split(";")[0]?.trim().toLowerCase() === formType;
    if (!form || clientId === null || clientSecret === null) return refusal(400);
    const known = sameSecret(clientId, context.clientId) && sameSecret(clientSecret, context.clientSecret);
    return known ? reply(200, tokenBody(tokens.issue(), settings())) : refusal(401);
  }

  // Exactly the two headers of section 5: a wrong token and a missing header are both a bad request.
  function hasDocumentedHeaders({ headers }: HttpRequest): boolean {
    const token = /^bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
    return headers["content-type"] === "application/json" && token !== undefined && tokens.accept(token);
  }
}

const formType = "application/x-www-form-urlencoded";

function damaged(answer: HttpOutcome, fault: Fault | undefined): HttpOutcome {
  if (typeof answer === "string") return answer;
  if (fault?.kind === "reset") return { ...answer, damage: "resetDuring" };
  if (fault?.kind !== "truncate") return answer;
  return { ...answer, damage: fault.framing === "short" ? "truncateShort" : "truncateComplete" };
}
