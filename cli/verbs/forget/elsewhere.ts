import type { Config } from "../../../lib/config/index.ts";
import { DAY } from "../../../lib/config/units.ts";
import type { ForgetAnswer } from "./answer.ts";

type Elsewhere = ForgetAnswer["elsewhere"];

/** Days for which DynamoDB can bring a table back to what it was. */
const BACKUPS = 35;

/** The copies that no command of the poller can purge, where they lie, and until when. */
export function elsewhere(
  { sources, bus }: Config,
  { isStack, hadEvent, now }: { isStack: boolean; hadEvent: boolean; now: number },
): Elsewhere {
  // One archive and one log group serve all sources: the longest period asked for holds.
  const longest = (of: "archive" | "logs"): number => now + Math.max(...sources.map(({ retention }) => retention[of]));
  const service = {
    where: "the survey service",
    what: "the response itself: delete it there first, or it stays listed",
    until: null,
  };
  const subscribers = {
    where: "subscribers",
    what: "their own copies of its events, and those in their dead-letter queues: tell them by the event id",
    until: null,
  };
  if (!isStack) {
    const folder = {
      where: "the data folder",
      what: "its events in a file of --events, and what a database has not overwritten yet: delete the folder to be sure",
      until: null,
    };
    return [service, ...(hadEvent ? [subscribers] : []), folder];
  }
  const archive = {
    where: "the archive of the bus",
    what: "its events, whole: no single one can be deleted. Replay nothing from before now until then",
    until: longest("archive"),
  };
  return [
    service,
    ...(hadEvent ? [subscribers, ...(bus.archive ? [archive] : [])] : []),
    {
      where: "point-in-time backups of the table",
      what: "its entry as it was. Who restores the table forgets it once more",
      until: now + BACKUPS * DAY,
    },
    { where: "the logs", what: "ids, at logLevel info and debug", until: longest("logs") },
  ];
}
