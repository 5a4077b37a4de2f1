import { DAY } from "../../../config/units.ts";
import { KEPT_UNHEARD } from "../../hearing/temporary-rules.ts";
import type { Target } from "../../target/target.ts";

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
export async function elsewhere(
  { stack, config }: Pick<Target, "stack" | "config">,
  now: number,
): Promise<Elsewhere[]> {
  const { sources, bus, webhooks } = await config();
  const copy = (where: string, what: string, until: number | null = null) => ({ where, what, until });
  // Of no response it is certain that nothing went out: the bus may have taken an event before its entry could be written.
  const dead = "their own copies of its events, and those in their dead-letter queues: tell them by the event id";
  const known = sources.map(({ name }) => name).join(", ");
  const first = [
    copy("the survey service", "the response itself: delete it there first, or it stays listed"),
    copy("subscribers", dead),
    copy("live pages", "its events, in each page that has heard them and is still served: end it"),
    copy(
      "records of nobody knows which response",
      "those that may be of it: quarantine list and show name them, and forget takes their ids",
    ),
    copy("sources that the configuration no longer names", `their entries and kept records. It names ${known}`),
  ];
  if (stack === undefined) {
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
  const backups = "its entry as it was. Who restores the table forgets it once more";
  return [
    ...first,
    ...(bus.archive ? [copy("the archive of the bus", archived, longest("archive"))] : []),
    ...(hasWebhooks ? [copy("the queues of webhooks", waiting, now + QUEUES * DAY)] : []),
    copy("the dead-letter queues of webhooks and of onResponseCompleted", undelivered, untilDead),
    copy("the queues of tail, listen and console", "its events of the last minutes, whole", now + KEPT_UNHEARD * 1000),
    copy("point-in-time backups of the table", backups, now + BACKUPS * DAY),
    copy("the logs", "ids, at logLevel info and debug", longest("logs")),
  ];
}
