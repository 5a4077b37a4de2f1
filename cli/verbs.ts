import type { Verb } from "./verb.ts";
import { credentialsVerb } from "./verbs/credentials/verb.ts";
import { doctorVerb } from "./verbs/doctor/verb.ts";
import { initVerb } from "./verbs/init/verb.ts";
import { statusVerb } from "./verbs/status/verb.ts";
import { tokenVerb } from "./verbs/token/verb.ts";

/** The verbs, in the order in which the help lists them. */
export const verbs: readonly Verb[] = [doctorVerb, initVerb, statusVerb, credentialsVerb, tokenVerb];
