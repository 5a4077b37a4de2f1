import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { eventId } from "../../../lib/events/index.ts";
import type { Simulator } from "../../../lib/local/simulator/index.ts";
import type { DeliveredEvent } from "../../support/command.ts";
import type { Flags, PolledService } from "./polled-service.ts";
import { scripted } from "./script.ts";
import { readTable, withAws } from "./with-aws.ts";

/** What a scan to the end puts off for as long as an hour is due again by then. */
const DAY = 86_400_000;

/**
 * The ledger is right, and nothing more comes of it: to be called when nothing arrives any more. A command a day later by its clock, which
 * every count asks to read all pages, emits nothing, and once full reads act the books of every survey close.
 */
export async function expectBooks(service: PolledService, flags: Flags, what: string): Promise<void> {
  const { simulator, folder } = service;
  await expectLedger(service, what);
  simulator.set({ counts: { responses: ({ surveyId }) => simulator.tally(surveyId).completed + 1 } });
  const config = join(folder, "closing.json");
  writeFileSync(config, JSON.stringify({ advanced: { backgroundRequests: 1000, rescan: { full: "1h" } } }));

  const quiet = async (days: number): Promise<string> => {
    const { stdout } = await service.poll({ ...flags, ticks: "25", config }, { env: scripted({ ahead: days * DAY }) });
    expect(stdout, what).toMatch(/^done: \d+ ticks in .* 0 events,/m);
    return stdout;
  };
  let stdout = await quiet(1);
  // A pass that had begun while responses still arrived proves nothing; the one after it does.
  if (stdout.includes("not closed yet: pages moved while they were read")) stdout = await quiet(2);

  await expectLedger(service, what, "all");
  for (const surveyId of simulator.surveyIds()) {
    const line = stdout.split("\n").find((text) => text.startsWith(`survey ${surveyId}: `));
    expect(line, what).toMatch(/ 0 emitted; books: closed at /);
  }
}

/**
 * The ledger holds every completed response as emitted, with its event and its number of records, and others only as
 * open: all of those that are listed, or, as nothing asks for a look at one that was just begun, some of them.
 */
export async function expectLedger(
  { simulator, folder }: PolledService,
  what: string,
  open: "some" | "all" = "some",
): Promise<void> {
  const items = await withAws(join(folder, "data"), readTable);
  for (const surveyId of simulator.surveyIds()) {
    const held = items
      .filter(({ pk, sk }) => pk === `SURVEY#main#${surveyId}` && String(sk).startsWith("RESPONSE#"))
      .map(({ sk, state, eventId: event, count }) => `${sk} ${state} ${event ?? "-"} ${count ?? "-"}`);
    const listed = simulator.settings().openListed ? simulator.openIds(surveyId) : [];
    const opened = listed.map((responseId) => `RESPONSE#${responseId} open - -`);
    const mayLack = open === "some" ? opened.filter((line) => !held.includes(line)) : [];
    expect([...held, ...mayLack].sort(), what).toEqual([...emitted(simulator, surveyId), ...opened].sort());
  }
}

function emitted(simulator: Simulator, surveyId: number): string[] {
  return simulator
    .truth(surveyId)
    .map(
      ({ responseId, records }) =>
        `RESPONSE#${responseId} emitted ${eventId("main", surveyId, responseId)} ${records.length}`,
    );
}

/** A repeat is the same event: only when and how it was detected may differ, and whether its words were certain then, never what it says. */
export function expectSameContents(events: readonly DeliveredEvent[], what: string): void {
  const contents = new Map<string, string>();
  for (const { detail } of events) {
    const { labelsMayDiffer: _, ...data } = detail.data;
    const said = JSON.stringify(data);
    expect(contents.get(detail.meta.eventId) ?? said, what).toBe(said);
    contents.set(detail.meta.eventId, said);
  }
}
