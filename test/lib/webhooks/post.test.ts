import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { post } from "../../../lib/webhooks/post.ts";
import type { Proof } from "../../../lib/webhooks/webhook-secrets.ts";
import { headersOf, secretOf, useEndpoint } from "./support/endpoint.ts";

const secret = secretOf(1);
const body = '{"id":"a"}';

const endpoint = useEndpoint();

const posted = (options: { url?: string; signal?: AbortSignal; readsAnswer?: boolean; proof?: Proof } = {}) =>
  post(
    { id: "e-1", at: new Date(), body },
    {
      url: endpoint.url,
      proof: { signWith: [secret], headers: {} },
      userAgent: "survey-poller",
      type: "response.completed",
      signal: new AbortController().signal,
      ...options,
    },
  );

describe("a request", () => {
  it("is what the verifier of the standard takes", async () => {
    endpoint.answer = (_posted, response) => response.writeHead(202).end();

    const answer = await posted();

    expect(answer).toMatchObject({ status: 202, problem: null, firstLine: undefined });
    const [one] = endpoint.posted;
    expect(one).toMatchObject({ method: "POST", path: "/hook?key=hunter2", body });
    if (one === undefined) throw new Error("nothing was posted");
    expect(one.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-survey-poller": "response.completed",
      connection: "close",
    });
    expect(new Webhook(secret).verify(one.body, headersOf(one))).toEqual({ id: "a" });
  });

  it("carries the header that auth asks for, beside a signature or alone", async () => {
    endpoint.answer = (_posted, response) => response.writeHead(204).end();
    const headers = { "X-Key": "k-1" };
    await posted({ proof: { signWith: [secret], headers } });
    await posted({ proof: { signWith: [], headers } });
    const [both, alone] = endpoint.posted;
    expect(both?.headers).toMatchObject({ "x-key": "k-1", "webhook-signature": expect.stringMatching(/^v1,/) });
    expect(alone?.headers).toMatchObject({ "x-key": "k-1", "webhook-id": "e-1" });
    expect(alone?.headers).not.toHaveProperty("webhook-signature");
  });

  it("goes to its address alone: a redirect is not followed", async () => {
    endpoint.answer = (_posted, response) => response.writeHead(307, { location: "/elsewhere" }).end();
    expect((await posted()).status).toBe(307);
    expect(endpoint.posted.map(({ path }) => path)).toEqual(["/hook?key=hunter2"]);
  });

  it("is ended by its time limit, which is no answer", async () => {
    const limit = new AbortController();
    endpoint.answer = () => limit.abort(new DOMException("over", "TimeoutError"));
    expect(await posted({ signal: limit.signal })).toMatchObject({ status: null, problem: "TimeoutError" });
  });

  it("without an answer says by a code why, and nothing of the address", async () => {
    endpoint.answer = (_posted, response) => response.destroy();
    const dropped = await posted();
    expect(dropped).toMatchObject({ status: null, problem: "UND_ERR_SOCKET" });
    const refused = await posted({ url: "http://127.0.0.1:1/hook?key=hunter2" });
    expect(refused).toMatchObject({ status: null, problem: "BadPort" });
    expect(JSON.stringify([dropped, refused])).not.toContain("hunter2");
  });

  it.each([
    ["120", 120_000],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["soon", undefined],
  ])("that is answered with Retry-After %j tells for how long", async (header, wanted) => {
    endpoint.answer = (_posted, response) => response.writeHead(429, { "retry-after": header }).end();
    expect((await posted()).retryAfter).toBe(wanted);
  });
});

describe("the first line of an answer", () => {
  it("is read where it is wanted: short, in one line, without control characters", async () => {
    endpoint.answer = (_posted, response) => response.writeHead(400).end(`no \u001b[31msurvey\tof that id\nmore`);
    expect((await posted({ readsAnswer: true })).firstLine).toBe("no  [31msurvey of that id");
    endpoint.answer = (_posted, response) => response.writeHead(400).end("x".repeat(9_000));
    expect((await posted({ readsAnswer: true })).firstLine).toBe("x".repeat(200));
    expect((await posted()).firstLine).toBeUndefined();
  });

  it("is enough: what follows is not waited for", async () => {
    endpoint.answer = (_posted, response) => void response.writeHead(200).write("taken\nand");
    expect(await posted({ readsAnswer: true })).toMatchObject({ status: 200, firstLine: "taken" });
    expect(await posted()).toMatchObject({ status: 200 });
  });
});
