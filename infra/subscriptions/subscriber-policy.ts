import { ArnFormat, Stack } from "aws-cdk-lib";
import { CfnEventBusPolicy, type IEventBus } from "aws-cdk-lib/aws-events";
import { AccountPrincipal, AnyPrincipal, type IPrincipal, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { SubscribersConfig } from "../../lib/config/index.ts";

/** Actions of CloudFormation in the subscriber's account, by which it makes, changes, tags and deletes a rule of its own there. */
const MANAGE_RULES = [
  "events:PutRule",
  "events:DeleteRule",
  "events:DescribeRule",
  "events:EnableRule",
  "events:DisableRule",
  "events:PutTargets",
  "events:RemoveTargets",
  "events:ListTargetsByRule",
  "events:TagResource",
  "events:UntagResource",
  "events:ListTagsForResource",
];

/**
 * Lets other accounts make rules on the bus, and see and change those that they made. They need nothing else: what their rules match goes to buses
 * of theirs. They may put no events.
 */
export function shareBus(scope: Construct, bus: IEventBus, { accounts, organizationId }: SubscribersConfig): void {
  const principals = [...new Set(accounts)].map((account) => new AccountPrincipal(account));
  const named = accounts.length === 0 ? undefined : allow(scope, "SubscriberAccounts", bus, { principals });
  if (organizationId === undefined) return;
  const whole = allow(scope, "SubscriberOrganization", bus, {
    principals: [new AnyPrincipal()],
    conditions: { StringEquals: { "aws:PrincipalOrgID": organizationId } },
  });
  // A bus has one policy: two statements put at the same moment are told to try again.
  if (named !== undefined) whole.node.addDependency(named);
}

function allow(
  scope: Construct,
  id: string,
  bus: IEventBus,
  { principals, conditions }: { principals: IPrincipal[]; conditions?: Record<string, unknown> },
): CfnEventBusPolicy {
  // Two pollers may share a bus, whose statements are told apart by their ids.
  const statementId = `${id}-${scope.node.addr.slice(-8)}`;
  const statement = new PolicyStatement({
    sid: statementId,
    principals,
    actions: MANAGE_RULES,
    resources: [
      Stack.of(scope).formatArn({
        service: "events",
        resource: "rule",
        resourceName: `${bus.eventBusName}/*`,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      }),
    ],
    conditions: {
      ...conditions,
      // A rule that is only about to be made has no creator yet; one that is there has, and it is not to be touched by another account.
      // biome-ignore lint/suspicious/noTemplateCurlyInString: IAM fills it in
      StringEqualsIfExists: { "events:creatorAccount": "${aws:PrincipalAccount}" },
    },
  });
  return new CfnEventBusPolicy(scope, id, {
    eventBusName: bus.eventBusName,
    statementId,
    statement: statement.toStatementJson(),
  });
}
