import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startProxy } from "../support/proxy.ts";
import { CLIENT_SECRET, clientOf, startService, TOKEN } from "../support/service.ts";

const PASSWORD = "pr0xy-p@ss";
const timeouts = { connect: 80, headers: 500, body: 500 };
const withCredentials = (url: string, password = PASSWORD): string =>
  url.replace("//", `//user:${encodeURIComponent(password)}@`);

describe("with a proxy", () => {
  it("everything goes through a tunnel, the token request too, and the proxy sees nothing of it", async () => {
    const service = await startService();
    const proxy = await startProxy();
    const { api } = clientOf(service, { proxy: proxy.url, concurrency: 1 });

    expect(await api.surveys()).toEqual([{ surveyId: 1 }]);
    await api.surveys();

    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /oauth/token/",
      "GET /api/v3/surveys/",
      "GET /api/v3/surveys/",
    ]);
    const { host } = new URL(service.url);
    expect(service.data()[0]?.headers).toMatchObject({ host, authorization: `bearer ${TOKEN}` });
    for (const { headers } of service.requests) expect(headers).not.toHaveProperty("proxy-authorization");
    expect(proxy.others).toEqual([]);
    // One tunnel is one connection, and it is kept.
    expect(proxy.tunnels).toEqual([{ target: host, authorization: undefined }]);
    expect(service.connections.accepted).toBe(1);
  });

  it("its credentials go to the proxy alone", async () => {
    const service = await startService();
    const proxy = await startProxy("tunnel", `user:${PASSWORD}`);
    await clientOf(service, { proxy: withCredentials(proxy.url) }).api.surveys();
    const expected = `Basic ${Buffer.from(`user:${PASSWORD}`).toString("base64")}`;
    expect(new Set(proxy.tunnels.map(({ authorization }) => authorization))).toEqual(new Set([expected]));
    for (const { headers } of service.requests) expect(headers).not.toHaveProperty("proxy-authorization");
  });

  it.each([
    ["that refuses the credentials (407)", "tunnel", "UNREACHABLE"],
    ["that forbids the service (403)", 403, "UNREACHABLE"],
    ["that fails (502)", 502, "UNREACHABLE"],
    ["that resets the connection", "reset", "UNREACHABLE"],
    ["that does not answer", "silence", "TIMEOUT"],
  ] as const)("%s the call ends, and no secret is in the error", async (_name, meets, code) => {
    const service = await startService();
    const proxy = await startProxy(meets, "user:another");
    const retry = { attempts: { TIMEOUT: 1, UNREACHABLE: 2 } };
    const { api } = clientOf(service, { proxy: withCredentials(proxy.url), timeouts, retry });

    const error = await api.surveys().catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code, operation: "get token", retryable: true });
    expect(service.requests).toEqual([]);
    expect(proxy.others).toEqual([]);
    const seen = `${inspect(error, { depth: 12, showHidden: true })}${JSON.stringify(error)}`;
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), btoa(`user:${PASSWORD}`), CLIENT_SECRET]) {
      expect(seen).not.toContain(secret);
    }
  });

  it("a signal ends a call that waits for its tunnel", async () => {
    const service = await startService();
    const proxy = await startProxy("silence");
    const { api } = clientOf(service, { proxy: proxy.url, timeouts });
    const reason = new Error("enough");
    const stop = new AbortController();
    const call = api.surveys({ signal: stop.signal });
    setTimeout(() => stop.abort(reason), 10);
    await expect(call).rejects.toBe(reason);
  });
});

it("without the option no proxy is used, whatever the environment says", async () => {
  const service = await startService();
  const proxy = await startProxy();
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"]) vi.stubEnv(name, proxy.url);
  await clientOf(service).api.surveys();
  expect([proxy.tunnels, proxy.others]).toEqual([[], []]);
});
