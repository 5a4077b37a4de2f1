import type { SourceConfig } from "./config.ts";

/** By what a deployment knows the secrets of its sources, however many these are. */
export interface SecretNaming {
  /** Stands in front of the names of all secrets that the deployment has made. */
  prefix: string;
  /** Names of credentials secrets that the deployment was given beside the configuration, by source. */
  given?: Readonly<Record<string, string>>;
}

/** Names of the two secrets of a source. */
export function secretNames(
  { name, credentialsSecret }: Pick<SourceConfig, "name" | "credentialsSecret">,
  { prefix, given = {} }: SecretNaming,
) {
  const credentials = given[name] ?? credentialsSecret ?? `${prefix}/${name}/credentials`;
  return { credentials, token: `${prefix}/${name}/token` };
}
