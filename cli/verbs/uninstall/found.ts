import type { StackResourceSummary } from "@aws-sdk/client-cloudformation";

/** The stack as CloudFormation has it. */
export interface StackFound {
  name: string;
  id: string;
  isProtected: boolean;
  resources: readonly StackResourceSummary[];
}

/** Something that outlives the stack. */
export interface Kept {
  name: string;
  /** How much is in it, in words. */
  holds: string;
}

export interface RuleFound {
  bus: string;
  name: string;
}

export interface ArchiveFound extends Kept {
  /** Whether the poller made it. */
  isOwn: boolean;
}

/** Everything of a deployment that is there. */
export interface Inventory {
  stack: StackFound | undefined;
  buses: readonly string[];
  /** Of others, on these buses. */
  rules: readonly RuleFound[];
  archives: readonly ArchiveFound[];
  tables: readonly Kept[];
  buckets: readonly Kept[];
  secrets: readonly string[];
}
