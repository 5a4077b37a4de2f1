import { expect, it } from "vitest";
import type { PauseAnswer } from "../../../../lib/cli/verbs/pause.ts";
import type { StatusAnswer } from "../../../../lib/cli/verbs/status/answer.ts";
import { eventId } from "../../../../lib/events/index.ts";
import { answerOf, poll, polledFolder, survey } from "../support/command.ts";

it("pauses for ever, says so, asks the service for nothing meanwhile, and loses nothing", async () => {
  const folder = await polledFolder({ surveys: [{ surveyId: 7, responses: 3 }] });
  const { data, simulator } = folder;
  const at = ["--data", data];

  const dry = await survey(["pause", ...at]);
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("main would be paused.") });
  expect(dry.stderr).toContain("Dry run");
  expect((await survey(["status", ...at])).code).toBe(0);

  const paused = answerOf<PauseAnswer>(await survey(["pause", "--yes", ...at, "--json"]));
  expect(paused).toMatchObject({
    dryRun: false,
    sources: [{ source: "main", was: "running", becomes: "paused", until: null }],
  });
  const again = answerOf<PauseAnswer>(await survey(["pause", "--yes", ...at, "--json"]));
  expect(again.sources).toMatchObject([{ was: "paused", since: paused.sources[0]?.since, until: null }]);

  // A year later it still holds.
  const later = () => Date.now() + 365 * 24 * 3_600_000;
  const status = await survey(["status", ...at], { now: later });
  expect(status.code).toBe(3);
  expect(status.stdout).toMatch(/^▲ Paused since .* UTC by an operator: source main\. Nothing is lost\.$/m);
  expect(status.stdout).toContain(`Next: survey-poller resume --source main --yes --data ${data}`);

  const [added] = simulator.complete(7);
  simulator.resetCounters();
  // A run ends at its last tick: it is as it should be.
  await poll(folder);
  const [{ responseId = 0 } = {}] = simulator.truth(7);
  const why = /Paused since .* UTC by an operator: source main\b(?! until)/;
  const resent = await survey(["resend", eventId("main", 7, responseId), "--yes", ...at]);
  expect(resent).toMatchObject({ code: 3, stdout: "", stderr: expect.stringMatching(why) });
  const asked = await survey(["explain", `${responseId}`, "--ask", ...at]);
  expect(asked).toMatchObject({ code: 0, stderr: expect.stringMatching(why) });
  expect(await survey(["explain", "1", "--ask", ...at])).toMatchObject({ code: 3, stderr: expect.stringMatching(why) });
  expect(simulator.counters().requests ?? 0).toBe(0);

  expect(await survey(["resume", ...at])).toMatchObject({ code: 0, stdout: expect.stringContaining("would go on") });
  expect((await survey(["status", ...at])).code).toBe(3);
  const resumed = answerOf<PauseAnswer>(await survey(["resume", "--yes", ...at, "--json"]));
  expect(resumed.sources).toMatchObject([{ was: "paused", becomes: "running", since: null }]);
  expect((await survey(["resume", "--yes", ...at])).stdout).toBe("main is not paused.\n");
  await poll(folder);
  const books = answerOf<StatusAnswer>(await survey(["status", ...at, "--json"]));
  // The books are those of the last full read. The new response is above the high-water mark.
  expect(books).toMatchObject({ verdict: "complete", listed: 3, accounted: 3 });
  expect(books.surveys[0]?.highWater?.responseId).toBe(added);
});

it("ends by itself where it is told to, and knows its sources", async () => {
  const { data } = await polledFolder({ surveys: [] });
  const at = ["--data", data];

  const ran = await survey(["pause", "--for", "2h", "--yes", ...at], { now: () => Date.now() - 7_200_000 });
  expect(ran.stdout).toMatch(/^main is paused until .* UTC\. Nothing is lost: /);
  expect((await survey(["status", ...at])).stdout).not.toContain("Paused");
  await survey(["pause", "--for", "2h", "--yes", ...at]);
  expect((await survey(["status", ...at])).stdout).toMatch(/Paused since .* by an operator: source main until /);

  expect((await survey(["pause", "--source", "other", ...at])).code).toBe(2);
});
