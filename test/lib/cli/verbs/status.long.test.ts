import { expect, it } from "vitest";
import { polledFolder, survey } from "../support/command.ts";
import { inAws } from "../support/folder-aws.ts";

it("is late while the polls of one survey fail, whatever the books of the others say; and well once they do not", async () => {
  const surveys = [
    { surveyId: 7, responses: 5 },
    { surveyId: 8, responses: 5 },
  ];
  const { data, simulator } = await polledFolder({ surveys });
  const status = () => survey(["status", "--data", data], { now: () => Date.now() + 60_000 });
  const tick = () => inAws(data, ({ target }) => target.invoke({ source: "main" }));
  expect((await status()).stdout).toMatch(/^● Complete\. 10 listed/);

  const heal = simulator.fault({ kind: "status", status: 400, surveyId: 8 });
  simulator.complete(8, 2);
  await tick();

  const late = await status();
  expect(late.code).toBe(3);
  expect(late.stdout).toMatch(/^▲ Late: the polls of .*\(8\) have failed for 1 min; nothing is lost\.$/m);
  expect(late.stdout).toMatch(/\(8\) +fails for 1 min /);

  heal();
  await tick();
  expect((await status()).stdout).toMatch(/^● Complete\. /);
}, 120_000);
