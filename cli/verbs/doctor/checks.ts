import { alarms } from "./alarms.ts";
import { type Check, ok, PERMISSIONS } from "./check.ts";
import { lastTick } from "./last-tick.ts";
import { leftovers } from "./leftovers.ts";
import { openProblem } from "./open-problem.ts";
import { schedules } from "./schedules.ts";
import { smokeOfBus, smokeOfTable } from "./smoke.ts";
import { unlisted } from "./unlisted.ts";

/** All that is looked at beside the survey service, in the order of the answer. Another one is one line. */
export const checks: readonly Check[] = [
  schedules,
  alarms,
  lastTick,
  openProblem,
  unlisted,
  smokeOfBus,
  smokeOfTable,
  leftovers,
];

/** Runs them all. */
export const runChecks: Check = async (context) => {
  const lines = [];
  for (const check of checks) lines.push(...(await check(context)));
  if (context.looks === undefined || lines.some(({ check }) => check === PERMISSIONS)) return lines;
  return [...lines, ok(PERMISSIONS, "everything that was looked at may be looked at")];
};
