import { expect, it, onTestFinished } from "vitest";
import { startSimulator } from "../../../../lib/local/simulator/index.ts";
import { runCommand, temporaryFolder } from "../../../support/command.ts";

it("gives the books of each survey as they were closed, and beside them what has gone out since", async () => {
  const simulator = await startSimulator({ surveys: [{ surveyId: 7, responses: 150 }] });
  onTestFinished(() => simulator.close());
  let lists = 0;
  simulator.onSurveyList(() => {
    lists += 1;
    if (lists === 6) simulator.complete(7, 2);
  });
  const { url, clientId, clientSecret } = simulator;
  const env = { SURVEY_CLIENT_ID: clientId, SURVEY_CLIENT_SECRET: clientSecret };
  const line = ["--base-url", url, "--data", temporaryFolder(), "--ticks", "9", "--interval", "200ms", "--no-console"];

  const { stdout, code } = await runCommand(line, { env });

  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^survey 7: 2 emitted; books: closed at \S+Z \(150 listed = 0 emitted \+ 150 before the start .*\), 2 emitted since$/m,
  );
  expect(stdout).not.toContain("live page");
});
