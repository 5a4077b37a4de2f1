import { EventBridgeClient, ListRulesCommand, ListTargetsByRuleCommand } from "@aws-sdk/client-eventbridge";
import { TEMPORARY } from "../cli/hearing/temporary-rules.ts";
import { closing } from "../cli/target/aws-failure.ts";
import type { Target } from "../cli/target/target.ts";
import { createMatcher } from "../local/aws/event-bridge/matcher.ts";

/** A subscriber: a rule on the bus. */
export interface RuleView {
  name: string;
  isEnabled: boolean;
  targets: number;
  /** Types of events that it asks for; empty: whatever its pattern says. */
  types: string[];
  pattern: string;
}

/** Rules whose targets are counted. */
const MOST = 100;

/** The rules on the bus of a poller: those whose subscribers wait when it stands still. */
export async function readRules(target: Target): Promise<RuleView[]> {
  using client = closing(new EventBridgeClient(target.client("eventbridge")));
  const bus = { EventBusName: target.resources.busName };
  const { Rules = [] } = await client.send(new ListRulesCommand({ ...bus, Limit: MOST }));
  // Not the one by which this page, or a tail, hears events.
  const lasting = Rules.filter(({ Name = "" }) => !Name.startsWith(TEMPORARY));
  return await Promise.all(
    lasting.map(async ({ Name: name = "", State, EventPattern }) => {
      const { Targets = [] } = await client.send(new ListTargetsByRuleCommand({ ...bus, Rule: name }));
      return {
        name,
        isEnabled: State === "ENABLED",
        targets: Targets.length,
        types: typesOf(EventPattern),
        pattern: EventPattern ?? "",
      };
    }),
  );
}

/** Names of those that an event goes to. A pattern that this matcher does not know counts as none. */
export function matchedBy(envelope: object, rules: readonly RuleView[]): string[] {
  const isMatched = ({ isEnabled, pattern }: RuleView): boolean => {
    try {
      return isEnabled && createMatcher(JSON.parse(pattern))(envelope);
    } catch {
      return false;
    }
  };
  return rules.filter(isMatched).map(({ name }) => name);
}

function typesOf(pattern = "{}"): string[] {
  const { "detail-type": types } = JSON.parse(pattern) as { "detail-type"?: unknown[] };
  return types?.every((one) => typeof one === "string") === true ? types : [];
}
