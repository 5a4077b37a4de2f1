import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { eventId } from "../../../lib/events/index.ts";
import type { Simulator } from "../../../local/simulator/index.ts";
import type { Flags, PolledService } from "./polled-service.ts";
import { scripted } from "./script.ts";
import { readTable, withAws } from "./with-aws.ts";

/** What a scan to the end puts off for as long as an hour is due again by then. */
const DAY = 86_400_000;

/**
 * The books are right, and nothing more comes of it: to be called when nothing arrives any more. The ledger holds
 * every completed response as emitted and every other listed one as open. A command a day later by its clock, which
 * every count asks to read all pages, emits nothing, and once scrubs act the books of every survey close.
 */
export async function expectBooks(service: PolledService, flags: Flags, what: string): Promise<void> {
  const { simulator, folder } = service;
  await expectLedger(service, what);
  simulator.set({ counts: { responses: ({ surveyId }) => simulator.tally(surveyId).completed + 1 } });
  const config = join(folder, "closing.json");
  writeFileSync(config, JSON.stringify({ backgroundRequests: 1000, scrub: { every: "1h" } }));

  const { stdout } = await service.poll({ ...flags, ticks: "25", config }, { env: scripted({ ahead: DAY }) });

  expect(stdout, what).toMatch(/^done: \d+ ticks in .* 0 events,/m);
  await expectLedger(service, what);
  for (const surveyId of simulator.surveyIds()) {
    const line = stdout.split("\n").find((text) => text.startsWith(`survey ${surveyId}: `));
    if (!/scrub is set but does not act/.test(stdout)) expect(line, what).toMatch(/ 0 emitted; books: closed at /);
    else expect(line, what).toMatch(/ 0 emitted; books: (closed at |not closed yet: no scan has read every page)/);
  }
}

async function expectLedger({ simulator, folder }: PolledService, what: string): Promise<void> {
  const items = await withAws(join(folder, "data"), readTable);
  for (const surveyId of simulator.surveyIds()) {
    const held = items
      .filter(({ pk, sk }) => pk === `SURVEY#main#${surveyId}` && String(sk).startsWith("RESPONSE#"))
      .map(({ sk, state, eventId: event, count }) => `${sk} ${state} ${event ?? "-"} ${count ?? "-"}`);
    expect(held.sort(), what).toEqual(expectedLedger(simulator, surveyId).sort());
  }
}

function expectedLedger(simulator: Simulator, surveyId: number): string[] {
  const completed = simulator
    .truth(surveyId)
    .map(
      ({ responseId, records }) =>
        `RESPONSE#${responseId} emitted ${eventId("main", surveyId, responseId)} ${records.length}`,
    );
  const open = simulator.settings().openListed ? simulator.openIds(surveyId) : [];
  return [...completed, ...open.map((responseId) => `RESPONSE#${responseId} open - -`)];
}
