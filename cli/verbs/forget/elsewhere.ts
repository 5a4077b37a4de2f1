import type { Config } from "../../../lib/config/index.ts";
import { DAY } from "../../../lib/config/units.ts";
import { KEPT_UNHEARD } from "../../target/temporary-rules.ts";
import type { ForgetAnswer } from "./answer.ts";

type Elsewhere = ForgetAnswer["elsewhere"];

/** Days for which DynamoDB can bring a table back to what it was. */
const BACKUPS = 35;
/** Days for which every queue of a stack keeps a message. */
const QUEUES = 14;
/** Days for which EventBridge tries to deliver an event before it puts it into a dead-letter queue. */
const TRIED = 1;

/** The copies that no command of the poller can purge, where they lie, and until when. */
export function elsewhere(
  { sources, bus, webhooks }: Config,
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
  const hasWebhooks = webhooks.length > 0;
  const waiting = {
    where: "the queues of webhooks",
    what: "its events that wait for an endpoint, whole",
    until: now + QUEUES * DAY,
  };
  const undelivered = {
    where: "the dead-letter queues of webhooks and of onResponseCompleted",
    what: "its events that could not be delivered, whole. Delete them there by the event id",
    until: now + ((hasWebhooks ? QUEUES : TRIED) + QUEUES) * DAY,
  };
  const heard = {
    where: "the queues of tail, listen and console",
    what: "its events of the last minutes, whole",
    until: now + KEPT_UNHEARD * 1000,
  };
  return [
    service,
    ...(hadEvent
      ? [subscribers, ...(bus.archive ? [archive] : []), ...(hasWebhooks ? [waiting] : []), undelivered, heard]
      : []),
    {
      where: "point-in-time backups of the table",
      what: "its entry as it was. Who restores the table forgets it once more",
      until: now + BACKUPS * DAY,
    },
    { where: "the logs", what: "ids, at logLevel info and debug", until: longest("logs") },
  ];
}
