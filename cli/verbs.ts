import type { Verb } from "./verb.ts";
import { auditVerb } from "./verbs/audit/verb.ts";
import { backfillVerb } from "./verbs/backfill/verb.ts";
import { forgetVerb } from "./verbs/forget/verb.ts";
import { pauseVerb, resumeVerb } from "./verbs/pause/verb.ts";
import { quarantineVerb } from "./verbs/quarantine/verb.ts";
import { statusVerb } from "./verbs/status/verb.ts";
import { uninstallVerb } from "./verbs/uninstall/verb.ts";

/** The verbs, in the order in which the help lists them. */
export const verbs: readonly Verb[] = [
  statusVerb,
  auditVerb,
  backfillVerb,
  quarantineVerb,
  pauseVerb,
  resumeVerb,
  forgetVerb,
  uninstallVerb,
];
