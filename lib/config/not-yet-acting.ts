import type { Config } from "../config.ts";

/** Fields that are checked but do nothing yet, and what happens instead. An entry goes when its field acts. */
const NOT_YET: readonly { field: string; instead: string }[] = [
  { field: "sources[].questions", instead: "events carry no question texts" },
  { field: "sources[].retention.archive", instead: "the bus has no archive" },
  { field: "monitoring", instead: "there is no dashboard and there are no alarms" },
  { field: "webhooks", instead: "no endpoint is subscribed" },
];

/** One notice for each field that was set on purpose and does not act in this version. */
export function notYetActing(config: Config): string[] {
  return NOT_YET.flatMap(({ field, instead }) =>
    config.stated
      .filter((path) => path.replaceAll(/\[\d+\]/g, "[]") === field)
      .map((path) => `${path} is set but does not act in this version: ${instead}.`),
  );
}
