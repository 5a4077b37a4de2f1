import { describe, expect, it, onTestFinished } from "vitest";
import { createService, type ServiceSettings, type UrlAnswer } from "../../smoke/service/answer.ts";
import { startLoopback } from "../../smoke/service/loopback.ts";
import { HISTORY, LARGE, type Plan, SURVEYS, startPlannedService } from "../../smoke/service/plan.ts";
import { createSharedTokens } from "../../smoke/service/tokens.ts";

const ORIGIN = Date.UTC(2026, 10, 20, 12);
const plan: Plan = { origin: ORIGIN, every: 10_000, lateEvery: 240_000, lateBy: 150_000 };
const settings: ServiceSettings = { plan, clientId: "smoke", clientSecret: "made up" };

/** An instance of the service, whose clock is set by hand. */
function instance() {
  const clock = { now: ORIGIN };
  const { answer, close } = createService(settings, () => clock.now);
  onTestFinished(close);
  const ask = (method: string, rawPath: string, headers: Record<string, string>, body?: string): Promise<UrlAnswer> =>
    answer({ rawPath, headers, requestContext: { http: { method } }, ...(body === undefined ? {} : { body }) });
  return {
    clock,
    async token(): Promise<string> {
      const { body } = await ask(
        "POST",
        "/oauth/token/",
        { "content-type": "application/x-www-form-urlencoded" },
        CREDENTIALS,
      );
      return (JSON.parse(body) as { token: string }).token;
    },
    get: (path: string, token: string) =>
      ask("GET", path, { authorization: `bearer ${token}`, "content-type": "application/json" }),
  };
}

const CREDENTIALS = new URLSearchParams({ clientId: "smoke", clientSecret: "made up" }).toString();
const PATHS = [
  "/api/v3/surveys/",
  ...Object.values(SURVEYS).map((id) => `/api/v3/surveys/${id}/responses/page/1/order/desc/`),
];

describe("the survey service of the smoke", () => {
  it("gives the same answers at the same time, whichever instance is asked, and however long it has been there", async () => {
    const [old, young] = [instance(), instance()];
    const token = await old.token();
    for (const minute of [0, 4.5, 9]) {
      old.clock.now = ORIGIN + minute * 60_000;
      for (const path of PATHS) await old.get(path, token);
    }
    young.clock.now = old.clock.now;
    for (const path of PATHS) {
      const [one, other] = [await old.get(path, token), await young.get(path, token)];
      expect(one.statusCode, path).toBe(200);
      expect(other, path).toEqual(one);
    }
  });

  it("takes the token of another instance, and no other token", async () => {
    const [one, other] = [instance(), instance()];
    const token = await one.token();
    expect((await other.get("/api/v3/surveys/", token)).statusCode).toBe(200);
    expect((await other.get("/api/v3/surveys/", `${token}x`)).statusCode).toBe(400);
    other.clock.now += 3_600_001;
    expect((await other.get("/api/v3/surveys/", token)).statusCode).toBe(400);
  });

  it("is served on loopback as well", async () => {
    const { url, close } = await startLoopback(createService(settings, () => ORIGIN));
    onTestFinished(close);
    const issued = await fetch(`${url}/oauth/token/`, { method: "POST", body: new URLSearchParams(CREDENTIALS) });
    const { token } = (await issued.json()) as { token: string };
    expect(createSharedTokens("made up").accepts(token, ORIGIN)).toBe(true);
    const wrong = await fetch(`${url}/oauth/token/`, { method: "POST", body: new URLSearchParams("clientId=smoke") });
    expect(wrong.status).toBe(400);
  });
});

describe("the plan", () => {
  it("completes a small response every ten seconds, and large ones at its beginning", async () => {
    const { simulator, advance } = await startPlannedService(plan, { clientId: "smoke", clientSecret: "made up" });
    onTestFinished(simulator.close);
    advance(ORIGIN + 9_999);
    expect(simulator.tally(SURVEYS.small).completed).toBe(HISTORY);
    expect(simulator.tally(SURVEYS.large).completed).toBe(LARGE.length);
    advance(ORIGIN + 60_000);
    expect(simulator.tally(SURVEYS.small).completed).toBe(HISTORY + 6);
    const [newest] = simulator.truth(SURVEYS.small).slice(-1);
    expect(newest?.completedAt).toBe(ORIGIN + 60_000);
  });

  it("has events of the sizes that it names, by their comments", async () => {
    const { simulator } = await startPlannedService(plan, { clientId: "smoke", clientSecret: "made up" });
    onTestFinished(simulator.close);
    for (const { responseId, records, commentBytes } of LARGE) {
      const comments = simulator.truthOf(SURVEYS.large, responseId)?.records.map(({ comment }) => String(comment));
      expect(comments?.map((comment) => Buffer.byteLength(comment))).toEqual(Array(records).fill(commentBytes));
    }
  });

  it("keeps back the metrics of a late response", async () => {
    const { simulator, advance } = await startPlannedService(plan, { clientId: "smoke", clientSecret: "made up" });
    onTestFinished(simulator.close);
    const metrics = (): unknown => simulator.truth(SURVEYS.late)[0]?.metrics;
    advance(ORIGIN + 240_000);
    expect(metrics()).toBeNull();
    advance(ORIGIN + 389_999);
    expect(metrics()).toBeNull();
    advance(ORIGIN + 390_000);
    expect(metrics()).toHaveLength(1);
  });
});
