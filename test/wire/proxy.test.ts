import { expect, test } from "vitest";
import { startProxy } from "../lib/survey-api/support/proxy.ts";
import { expectOneClearLine } from "./support/failing.ts";
import { polledService } from "./support/polled-service.ts";

test("with SURVEY_PROXY everything goes to the service through that proxy, by a tunnel, and nothing else does", async () => {
  const service = await polledService({ surveys: [{ surveyId: 1, responses: 3 }] });
  const proxy = await startProxy();

  const { events } = await service.poll({ "start-from": "beginning" }, { env: { SURVEY_PROXY: proxy.url } });

  expect(events).toHaveLength(3);
  const targets = new Set(proxy.tunnels.map(({ target }) => target));
  expect([...targets]).toEqual([new URL(service.simulator.url).host]);
  expect(proxy.others).toEqual([]);
});

test("a proxy with a password in its URL is refused in one line that does not repeat it", async () => {
  const service = await polledService({ surveys: [] });
  const result = await service.run({}, { env: { SURVEY_PROXY: "http://user:hush@127.0.0.1:9" } });
  expectOneClearLine(result, /^SURVEY_PROXY must not hold a user name or password/, "SURVEY_PROXY");
  expect(result.stderr).not.toContain("hush");
});
