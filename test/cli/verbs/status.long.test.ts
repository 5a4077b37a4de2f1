import { expect, it } from "vitest";
import type { StatusAnswer } from "../../../cli/verbs/status/answer.ts";
import { answerOf, polledFolder, survey } from "../support/command.ts";

it("says that all is proved, then a line for each survey", async () => {
  const { data } = await polledFolder({ surveys: [{ surveyId: 7, responses: 30 }, { surveyId: 8 }] });

  const ran = await survey(["status", "--data", data]);

  expect(ran.stdout).toMatch(/^● Complete\. 30 listed, 30 accounted for; proved \d+ s ago\.$/m);
  expect(ran.stdout).toMatch(/\(7\).* 30 +30$/m);
  expect(ran.stderr).toBe("");
  expect(ran.code).toBe(0);
  const status = answerOf<StatusAnswer>(await survey(["status", "--data", data, "--json"]));
  expect(status).toMatchObject({ verdict: "complete", listed: 30, accounted: 30, next: null });
  expect(status.surveys.map(({ surveyId }) => surveyId)).toEqual([7, 8]);
});

it("is not proved where nobody has polled for long: exit code 3, and who to ask next", async () => {
  const { data } = await polledFolder({ surveys: [{ surveyId: 7, responses: 3 }] });

  const ran = await survey(["status", "--data", data], { now: () => Date.now() + 3_600_000 });

  expect(ran.code).toBe(3);
  expect(ran.stdout).toMatch(/^▲ Not polled for 1 h: the last run on main ended as it should\. Start it again\.$/m);
  expect(ran.stdout).toContain(`Next: survey-poller doctor --data ${data}`);
});
