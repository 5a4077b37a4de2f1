import type { Verb } from "./verb.ts";
import { auditVerb } from "./verbs/audit/verb.ts";
import { backfillVerb } from "./verbs/backfill/verb.ts";
import { consoleVerb } from "./verbs/console/verb.ts";
import { credentialsVerb } from "./verbs/credentials/verb.ts";
import { doctorVerb } from "./verbs/doctor/verb.ts";
import { explainVerb } from "./verbs/explain/verb.ts";
import { forgetVerb } from "./verbs/forget/verb.ts";
import { initVerb } from "./verbs/init/verb.ts";
import { listenVerb } from "./verbs/listen/verb.ts";
import { pauseVerb, resumeVerb } from "./verbs/pause/verb.ts";
import { quarantineVerb } from "./verbs/quarantine/verb.ts";
import { resendVerb } from "./verbs/resend/verb.ts";
import { statusVerb } from "./verbs/status/verb.ts";
import { tailVerb } from "./verbs/tail/verb.ts";
import { triggerVerb } from "./verbs/trigger/verb.ts";
import { verifyVerb } from "./verbs/verify/verb.ts";

/** The verbs, in the order in which the help lists them. */
export const verbs: readonly Verb[] = [
  initVerb,
  doctorVerb,
  statusVerb,
  explainVerb,
  auditVerb,
  verifyVerb,
  consoleVerb,
  tailVerb,
  listenVerb,
  triggerVerb,
  resendVerb,
  backfillVerb,
  quarantineVerb,
  pauseVerb,
  resumeVerb,
  forgetVerb,
  credentialsVerb,
];
