import type { Verb } from "./verb.ts";
import { explainVerb } from "./verbs/explain/verb.ts";
import { statusVerb } from "./verbs/status/verb.ts";

/** The verbs, in the order in which the help lists them. */
export const verbs: readonly Verb[] = [statusVerb, explainVerb];
