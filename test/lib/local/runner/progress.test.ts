import { channel } from "node:diagnostics_channel";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { showProgress } from "../../../../lib/local/runner/progress.ts";
import { clientOf, inTurn, startService } from "../../survey-api/support/service.ts";

it("a pause that the service asks for is told once, however many requests were refused together", async () => {
  const out = new PassThrough() as unknown as NodeJS.WriteStream;
  const view = showProgress(out, "");
  onTestFinished(() => view.stop());
  const service = await startService();
  const { api, time } = clientOf(service, {
    // The virtual clock moves on only once all the answers are here.
    sleep: (milliseconds) =>
      new Promise((resolve) =>
        setTimeout(() => {
          time.now += milliseconds;
          resolve();
        }, 30),
      ),
  });
  await api.surveys();
  const tooMany = { status: 429, json: {}, headers: { "retry-after": "3" } };
  service.together.count = 8;
  service.answers.set("/api/v3/surveys/", inTurn(...Array.from({ length: 8 }, () => tooMany), { json: [] }));

  await Promise.all(Array.from({ length: 8 }, () => api.surveys()));

  expect(String(out.read())).toBe("the survey service limits the rate: nothing is asked of it for 3.0 s\n");
  expect(view.totals.requests).toBe(1 + 1 + 8 + 8);
});

it("a pause by an operator is told once, with the command that ends it", () => {
  const out = new PassThrough() as unknown as NodeJS.WriteStream;
  const view = showProgress(out, "--data here");
  onTestFinished(() => view.stop());
  for (let i = 0; i < 2; i += 1)
    channel("survey-poller:progress").publish({ kind: "paused", source: "main", since: 1 });
  const command = "npx survey-poller resume --source main --yes --data here";
  expect(String(out.read())).toBe(`source main is paused by an operator: ${command}\n`);
});
