import type { Verb } from "./verb.ts";
import { forgetVerb } from "./verbs/forget/verb.ts";
import { quarantineVerb } from "./verbs/quarantine/verb.ts";
import { replayVerb } from "./verbs/replay/verb.ts";
import { resendVerb } from "./verbs/resend/verb.ts";
import { statusVerb } from "./verbs/status/verb.ts";
import { uninstallVerb } from "./verbs/uninstall/verb.ts";
import { verifyVerb } from "./verbs/verify/verb.ts";

/** The verbs, in the order in which the help lists them. */
export const verbs: readonly Verb[] = [
  statusVerb,
  verifyVerb,
  resendVerb,
  replayVerb,
  quarantineVerb,
  forgetVerb,
  uninstallVerb,
];
