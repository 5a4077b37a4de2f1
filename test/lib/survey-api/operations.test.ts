import { expect, it } from "vitest";
import { CLIENT_SECRET, clientOf, inTurn, startService, TOKEN } from "./support/service.ts";

it("1 get token: token() sends the credentials as a form, without the headers of the others, and once", async () => {
  const service = await startService();
  const { api } = clientOf(service, {
    credentials: { clientId: "me & you=ü", clientSecret: `${CLIENT_SECRET}+%` },
  });

  expect(await api.token()).toBe(TOKEN);
  expect(await api.token()).toBe(TOKEN);

  const [seen, ...others] = service.requests;
  expect(others).toEqual([]);
  expect(seen).toMatchObject({
    method: "POST",
    path: "/oauth/token/",
    body: `clientId=me+%26+you%3D%C3%BC&clientSecret=${CLIENT_SECRET}%2B%25`,
  });
  expect(seen?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  expect(seen?.headers).not.toHaveProperty("authorization");
});

it("a data request has neither cookies nor a body that comes in parts", async () => {
  const service = await startService();
  await clientOf(service).api.surveys();
  const [{ headers } = { headers: undefined }] = service.data();
  expect(headers).toMatchObject({ host: new URL(service.url).host });
  for (const name of ["cookie", "transfer-encoding"]) expect(headers).not.toHaveProperty(name);
});

it("v2 get token: the token of operation 1 opens both families", async () => {
  const service = await startService();
  service.answers.set("/api/v2/surveys/", () => ({ json: [] }));
  const { api } = clientOf(service);
  await api.surveys();
  await api.v2.surveys();
  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /oauth/token/",
    "GET /api/v3/surveys/",
    "GET /api/v2/surveys/",
  ]);
});

it("request(): a GET of any path, with token and retries, that gives its JSON", async () => {
  const service = await startService();
  service.answers.set("/api/v4/", inTurn({ status: 500, json: {} }, { json: { surveys: [1] } }));
  const { api } = clientOf(service);
  expect(await api.request("/api/v4/surveys/?page=2")).toEqual({ surveys: [1] });
  expect(service.data().map(({ method, path }) => `${method} ${path}`)).toEqual(
    Array.from({ length: 2 }, () => "GET /api/v4/surveys/?page=2"),
  );
  expect(service.data()[0]?.headers.authorization).toBe(`bearer ${TOKEN}`);
  await expect(api.request("/api/v5/")).rejects.toMatchObject({ code: "NOT_FOUND", operation: "request" });
  for (const path of ["", "surveys/", "//elsewhere.example.com/", "/a/../b", "/a b", "/a#b", "/\\a"])
    await expect(api.request(path)).rejects.toThrow(RangeError);
});
