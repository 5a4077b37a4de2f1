import type { Config } from "./config.ts";

/** Fields that are checked but do nothing yet, and what happens instead. An entry goes when its field acts. */
const NOT_YET: readonly { field: string; instead: string }[] = [
  { field: "sources[].questions", instead: "events carry no question texts" },
];

/** One notice for each field that was set on purpose and does not act in this version. */
export function notYetActing(config: Config): string[] {
  return NOT_YET.flatMap(({ field, instead }) =>
    stated(config, field).map((path) => `${path} is set but does not act in this version: ${instead}.`),
  );
}

/** One notice for each field that asks for something that there is in AWS only. */
export function actingDeployedOnly(config: Config): string[] {
  return stated(config, "webhooks").map(
    (path) => `${path} is set but acts only when deployed: on this machine no endpoint is called.`,
  );
}

function stated(config: Config, field: string): string[] {
  return config.stated.filter((path) => path.replaceAll(/\[\d+\]/g, "[]") === field);
}
