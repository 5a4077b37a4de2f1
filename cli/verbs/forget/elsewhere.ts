import type { Config } from "../../../lib/config/index.ts";
import { DAY } from "../../../lib/config/units.ts";
import { KEPT_UNHEARD } from "../../hearing/temporary-rules.ts";

/** Days for which DynamoDB can bring a table back to what it was, for which every queue of a stack keeps a message, and EventBridge tries to deliver one. */
const [BACKUPS, QUEUES, TRIED] = [35, 14, 1];

/** A copy that the command cannot purge. */
export interface Elsewhere {
  where: string;
  what: string;
  /** Epoch milliseconds by which it is gone at the latest; null where that is not known. */
  until: number | null;
}

/** The copies that no command of the poller can purge, where they lie, and until when. */
export function elsewhere(
  { sources, bus, webhooks }: Config,
  { isStack, hadEvent, now }: { isStack: boolean; hadEvent: boolean; now: number },
): Elsewhere[] {
  const copy = (where: string, what: string, until: number | null = null) => ({ where, what, until });
  const dead = "their own copies of its events, and those in their dead-letter queues: tell them by the event id";
  const first = [
    copy("the survey service", "the response itself: delete it there first, or it stays listed"),
    ...(hadEvent ? [copy("subscribers", dead)] : []),
  ];
  if (!isStack) {
    const file =
      "its events in a file of --events, and what a database has not overwritten yet: delete the folder to be sure";
    return [...first, copy("the data folder", file)];
  }
  // One archive and one log group serve all sources: the longest period asked for holds.
  const longest = (of: "archive" | "logs"): number => now + Math.max(...sources.map(({ retention }) => retention[of]));
  const hasWebhooks = webhooks.length > 0;
  const archived = "its events, whole: no single one can be deleted. Replay nothing from before now until then";
  const waiting = "its events that wait for an endpoint, whole";
  const undelivered =
    "its events that could not be delivered, whole. What lies there now of webhooks this deletes; delete others by the event id";
  const untilDead = now + ((hasWebhooks ? QUEUES : TRIED) + QUEUES) * DAY;
  const ofEvents = [
    ...(bus.archive ? [copy("the archive of the bus", archived, longest("archive"))] : []),
    ...(hasWebhooks ? [copy("the queues of webhooks", waiting, now + QUEUES * DAY)] : []),
    copy("the dead-letter queues of webhooks and of onResponseCompleted", undelivered, untilDead),
    copy("the queues of tail, listen and console", "its events of the last minutes, whole", now + KEPT_UNHEARD * 1000),
  ];
  const backups = "its entry as it was. Who restores the table forgets it once more";
  return [
    ...first,
    ...(hadEvent ? ofEvents : []),
    copy("point-in-time backups of the table", backups, now + BACKUPS * DAY),
    copy("the logs", "ids, at logLevel info and debug", longest("logs")),
  ];
}
