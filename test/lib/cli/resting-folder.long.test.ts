import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { eventId } from "../../../lib/events/index.ts";
import { startSimulator } from "../../../lib/local/simulator/index.ts";
import { readEvents, readTold, temporaryFolder } from "../../support/command.ts";
import { inShell, poll, survey } from "./support/command.ts";

/** A data folder whose last run wrote its events there. */
async function rested(events: string) {
  const simulator = await startSimulator({ surveys: [{ surveyId: 7, responses: 5 }] });
  onTestFinished(() => simulator.close());
  const data = join(temporaryFolder(), "data");
  await poll({ data, simulator }, ["--events", events]);
  const [id = 0] = simulator.truth(7).map(({ responseId }) => responseId);
  const event = eventId("main", 7, id);
  const resend = () => inShell(["lib/cli/main.ts", "resend", event, "--data", data, "--yes", "--json"]);
  return { simulator, data, id, resend };
}

it("what a verb publishes while no run is at work goes into the file of the last run", async () => {
  const file = join(temporaryFolder(), "events.jsonl");
  const { data, id, resend } = await rested(file);

  const ran = await resend();

  expect(ran.code, ran.stderr).toBe(0);
  const events = readEvents(file);
  expect(events).toHaveLength(6);
  expect(events.at(-1)?.detail.data.responseId).toBe(id);
  const before = readTold(file).length;
  expect((await survey(["trigger", "promoter", "--data", data, "--yes"])).code).toBe(0);
  expect(readTold(file)).toHaveLength(before + 1);
});

it("what a run wrote to standard output needs a run beside it, and nothing counts as emitted", async () => {
  const { data, simulator } = await rested("-");
  simulator.complete(7, 1);

  const ran = await inShell(["lib/cli/main.ts", "audit", "--now", "--data", data, "--yes"]);

  expect(ran.code).toBe(3);
  expect(ran.stderr).toMatch(/wrote its events to standard output, and has ended\. Run npm start/);
  const events = join(temporaryFolder(), "events.jsonl");
  await poll({ data, simulator }, ["--events", events]);
  expect(readEvents(events)).toHaveLength(1);
});

it("a file that cannot be written to any more ends the verb, and names it", async () => {
  const folder = temporaryFolder();
  const { resend } = await rested(join(folder, "events.jsonl"));
  rmSync(folder, { recursive: true });

  const ran = await resend();

  expect(ran.code).not.toBe(0);
  expect(ran.stdout).toContain(join(folder, "events.jsonl"));
});
