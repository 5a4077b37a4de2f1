import { Annotations } from "aws-cdk-lib";
import type { SurveyPollerStack } from "./stack.ts";

/** Names that are reserved for examples: no survey service answers there. */
const RESERVED = /(^|\.)example(\.(com|net|org))?$/;

/** The base URL that cdk.json comes with makes a template to look at, but nothing to poll. */
export function warnOfPlaceholders(stack: SurveyPollerStack): void {
  for (const { name, baseUrl } of stack.poller.config.sources) {
    if (!RESERVED.test(new URL(baseUrl).hostname)) continue;
    Annotations.of(stack).addWarningV2(
      "survey-poller:placeholder",
      `source "${name}": ${baseUrl} is only an example. Put your service's address under "survey-poller" in the context of cdk.json, or name a file by -c config=FILE.`,
    );
  }
}
