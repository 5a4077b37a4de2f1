import type { Verb } from "./verb.ts";
import { replayVerb } from "./verbs/replay/verb.ts";
import { resendVerb } from "./verbs/resend/verb.ts";
import { statusVerb } from "./verbs/status/verb.ts";
import { verifyVerb } from "./verbs/verify/verb.ts";

/** The verbs, in the order in which the help lists them. */
export const verbs: readonly Verb[] = [statusVerb, verifyVerb, resendVerb, replayVerb];
