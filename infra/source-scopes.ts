import { createHash } from "node:crypto";
import { NestedStack } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** A stack takes 500 resources. A source has 9, a `source` of events 5 schemas, and a webhook 11. */
const MOST_IN_ONE_STACK = 30;
/** So many nested stacks hold what the stack itself cannot. A further one would move sources between them. */
const NESTED = 10;

/** Whether there are more sources than one stack can hold with all that belongs to each. */
export function areMany(sources: readonly unknown[]): boolean {
  return sources.length > MOST_IN_ONE_STACK;
}

/** The construct in which something of a source stands: this one, unless there are many. */
export type ScopeOf = (source: string, otherwise: Construct) => Construct;

/**
 * Where the schedule and the alarms of each source stand: in the stack itself, or where there are many in nested ones. Which one, the name of the
 * source says alone: who adds or removes one changes that nested stack only. Secrets stay in the stack itself, since they hold values and must not move.
 */
export function sourceScopes(scope: Construct, sources: readonly unknown[]): ScopeOf {
  if (!areMany(sources)) return (_source, otherwise) => otherwise;
  const nested = new Map<number, NestedStack>();
  return (source) => {
    const index = Number.parseInt(createHash("sha256").update(source).digest("hex").slice(0, 8), 16) % NESTED;
    const stack = nested.get(index) ?? new NestedStack(scope, `Sources${index}`);
    nested.set(index, stack);
    return stack;
  };
}
