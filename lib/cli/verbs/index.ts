import type { Verb } from "../verb.ts";
import { auditVerb } from "./audit/verb.ts";
import { backfillVerb } from "./backfill.ts";
import { consoleVerb } from "./console.ts";
import { credentialsVerb } from "./credentials.ts";
import { doctorVerb } from "./doctor.ts";
import { explainVerb } from "./explain/verb.ts";
import { forgetVerb } from "./forget.ts";
import { initVerb } from "./init.ts";
import { listenVerb } from "./listen.ts";
import { pauseVerb, resumeVerb } from "./pause.ts";
import { quarantineVerb } from "./quarantine.ts";
import { resendVerb } from "./resend.ts";
import { statusVerb } from "./status/verb.ts";
import { tailVerb } from "./tail.ts";
import { triggerVerb } from "./trigger.ts";
import { verifyVerb } from "./verify/verb.ts";

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
