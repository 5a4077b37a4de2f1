import type { Config } from "../lib/config/index.ts";

/**
 * Notes on things that a default leaves out and somebody may count on, and on whole IP addresses, one line each.
 *
 * @param alarmed whether alarms are told to a topic that somebody else has made
 */
export function leftOut({ sources, monitoring }: Config, alarmed: boolean): string[] {
  const lines: string[] = [];
  if (monitoring.alarms && monitoring.email === undefined && !alarmed)
    lines.push("alarms tell nobody: give monitoring.email, or subscribe to the topic");
  for (const { name, timeZone, privacy } of sources) {
    if (timeZone === undefined)
      lines.push(`source "${name}" has no timeZone: events carry local times, and no instants`);
    if (privacy.ip === "keep")
      lines.push(`source "${name}" has privacy.ip "keep": events, archive and subscribers get whole IP addresses`);
  }
  return lines;
}

/** Sources whose history ends where the dates of a service in an unknown zone say "now", one line each. */
export function uncertainStarts({ sources }: Pick<Config, "sources">): string[] {
  return sources
    .filter(({ startFrom, timeZone }) => startFrom === "now" && timeZone === undefined)
    .map(
      ({ name }) =>
        `source "${name}" starts from now without a timeZone: one date that is ahead may make 26 hours history`,
    );
}

/** Names that are reserved for examples: no survey service answers there. */
const RESERVED = /(^|\.)example(\.(com|net|org))?$/;

/** Sources whose base URL, such as the one that cdk.json comes with, makes a template to look at but nothing to poll, one line each. */
export function placeholders({ sources }: Pick<Config, "sources">): string[] {
  return sources
    .filter(({ baseUrl }) => RESERVED.test(new URL(baseUrl).hostname))
    .map(
      ({ name, baseUrl }) =>
        `source "${name}": ${baseUrl} is only an example. Put your service's address under "survey-poller" in the context of cdk.json, or name a file by -c config=FILE.`,
    );
}
