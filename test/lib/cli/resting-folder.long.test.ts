import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventId } from "../../../lib/events/index.ts";
import { readEvents, temporaryFolder } from "../../support/command.ts";
import { inShell, poll, simulated } from "./support/command.ts";

/** A data folder whose last run wrote its events there. What a verb publishes goes there as well, as `resend.long.test.ts` holds. */
async function rested(events: string) {
  const simulator = await simulated({ surveys: [{ surveyId: 7, responses: 5 }] });
  const folder = { simulator, data: join(temporaryFolder(), "data") };
  await poll(folder, ["--events", events]);
  return folder;
}

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
  const { data, simulator } = await rested(join(folder, "events.jsonl"));
  const event = eventId("main", 7, simulator.truth(7)[0]?.responseId ?? 0);
  rmSync(folder, { recursive: true });

  const ran = await inShell(["lib/cli/main.ts", "resend", event, "--data", data, "--yes", "--json"]);

  expect(ran.code).not.toBe(0);
  expect(ran.stdout).toContain(join(folder, "events.jsonl"));
});
