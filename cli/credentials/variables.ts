import type { Credentials } from "../../lib/survey-api/index.ts";

/**
 * Credentials of a source in the environment: `SURVEY_CLIENT_ID_EU_2` of source `eu-2` goes before `SURVEY_CLIENT_ID`. Empty counts as
 * unset.
 */
export function credentialVariables(
  source: string | undefined,
  environment: Record<string, string | undefined>,
): Partial<Credentials> {
  const suffix = source?.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
  const read = (name: string): string | undefined =>
    (suffix === undefined ? undefined : environment[`${name}_${suffix}`]) || environment[name] || undefined;
  const [clientId, clientSecret] = [read("SURVEY_CLIENT_ID"), read("SURVEY_CLIENT_SECRET")];
  return { ...(clientId === undefined ? {} : { clientId }), ...(clientSecret === undefined ? {} : { clientSecret }) };
}
