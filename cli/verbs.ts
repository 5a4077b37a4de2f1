import type { Verb } from "./verb.ts";
import { contractVerb } from "./verbs/contract/verb.ts";
import { forgetVerb } from "./verbs/forget/verb.ts";
import { listenVerb } from "./verbs/listen/verb.ts";
import { quarantineVerb } from "./verbs/quarantine/verb.ts";
import { statusVerb } from "./verbs/status/verb.ts";
import { tailVerb } from "./verbs/tail/verb.ts";
import { triggerVerb } from "./verbs/trigger/verb.ts";
import { uninstallVerb } from "./verbs/uninstall/verb.ts";

/** The verbs, in the order in which the help lists them. */
export const verbs: readonly Verb[] = [
  statusVerb,
  tailVerb,
  listenVerb,
  triggerVerb,
  quarantineVerb,
  forgetVerb,
  contractVerb,
  uninstallVerb,
];
