import type { Node } from "constructs";
import { ConfigError, type ConfigInput, readConfigFile } from "../lib/config/index.ts";

/**
 * The raw configuration of a synthesis: the file that `-c config=FILE` names, else the context key `survey-poller`. It is
 * checked by the construct that takes it.
 *
 * @throws ConfigError when there is neither, or the file cannot be read
 */
export function configFromContext(node: Node): ConfigInput {
  const file: unknown = node.tryGetContext("config");
  if (typeof file === "string" && file !== "") return readConfigFile(file) as ConfigInput;
  const context: unknown = node.tryGetContext("survey-poller");
  if (context !== undefined) return context as ConfigInput;
  throw new ConfigError(
    [
      {
        path: "",
        message: 'there is none: put { "baseUrl": "https://…" } under "survey-poller" in the context of cdk.json',
      },
    ],
    { hint: "For a first look: npx cdk synth -c config=examples/survey-poller.json" },
  );
}
