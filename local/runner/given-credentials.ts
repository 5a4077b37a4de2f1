import { UsageError } from "../../cli/errors.ts";
import { credentialVariables } from "../../cli/given-credentials.ts";
import type { SourceConfig } from "../../lib/config/index.ts";
import type { Credentials } from "../../lib/survey-api/index.ts";
import type { CommandLine } from "../command-line.ts";

/**
 * Credentials of a source by flag or environment; undefined when there are none, so that those of an earlier run are used.
 *
 * @throws UsageError when only half of them is given
 */
export function givenCredentials(
  source: SourceConfig,
  line: CommandLine,
  environment: Record<string, string | undefined>,
): Credentials | undefined {
  const variables = credentialVariables(source.name, environment);
  const clientId = line.clientId ?? variables.clientId;
  const clientSecret = line.clientSecret ?? variables.clientSecret;
  if (!clientId && !clientSecret) return undefined;
  if (clientId && clientSecret) return { clientId, clientSecret };
  throw new UsageError(`the client ${clientId ? "secret" : "id"} is missing`, {
    hint: "Set both SURVEY_CLIENT_ID and SURVEY_CLIENT_SECRET in the environment.",
  });
}
