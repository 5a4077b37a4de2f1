import { ArnFormat, Aws, Stack } from "aws-cdk-lib";
import { type Conditions, PolicyStatement, type PolicyStatementProps, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";

/** The services through which roles use the key; what each asks of KMS in the name of its caller. */
const USES = {
  /** DynamoDB keeps its table key with the caller's rights, whether it reads or writes. */
  "use-table": {
    service: "dynamodb",
    actions: ["Decrypt", "DescribeKey", "Encrypt", "GenerateDataKey", "ReEncryptFrom", "ReEncryptTo"],
  },
  "read-table": { service: "dynamodb", actions: ["Decrypt", "DescribeKey"] },
  "read-secret": { service: "secretsmanager", actions: ["Decrypt"] },
  "write-secret": { service: "secretsmanager", actions: ["Decrypt", "GenerateDataKey"] },
  "read-objects": { service: "s3", actions: ["Decrypt"] },
  "write-objects": { service: "s3", actions: ["Decrypt", "GenerateDataKey"] },
  "read-environment": { service: "lambda", actions: ["Decrypt"] },
  "send-messages": { service: "sqs", actions: ["Decrypt", "GenerateDataKey"] },
} as const;

export type KeyUse = keyof typeof USES;

/** Permission for a role: these actions on these resources. */
export function may(sid: string, actions: string[], ...resources: string[]): PolicyStatement {
  return new PolicyStatement({ sid, actions, resources });
}

/** Permission for a service of AWS itself, in a policy of what it works on. */
export function letService(
  service: string,
  { sid, actions, resources, conditions }: PolicyStatementProps & { conditions: object },
): PolicyStatement {
  const principals = [new ServicePrincipal(service)];
  return new PolicyStatement({ sid, principals, actions, resources, conditions });
}

/** ARN of something in the account and region of a stack: `rule/BUS/NAME` of `events`, `log-group:NAME` of `logs`. */
export function arnIn(scope: Construct, service: string, resource: string): string {
  return Stack.of(scope).formatArn({ service, resource, arnFormat: ArnFormat.NO_RESOURCE_NAME });
}

/** The permission for a role to use a key through one service only: nothing can be decrypted with it elsewhere. None without a key. */
export function useKey(sid: string, key: IKey | undefined, use: KeyUse): PolicyStatement[] {
  if (key === undefined) return [];
  const { service, actions } = USES[use];
  return [
    new PolicyStatement({
      sid,
      actions: actions.map((action) => `kms:${action}`),
      resources: [key.keyArn],
      // Ends differently in China, in a way that a region does not tell.
      conditions: { StringLike: { "kms:ViaService": `${service}.${Aws.REGION}.*` } },
    }),
  ];
}

/** Under this prefix AWS's own policies let log delivery in, and the console looks for the log of a bus. */
export function busLogName(busName: string): string {
  return `/aws/vendedlogs/events/event-bus/${busName}`;
}

/**
 * Statements for the policy of `encryptionKey`, for the AWS services that use it without a role. These are CloudWatch Logs, EventBridge
 * (the bus, and events that end in a dead-letter queue) and CloudWatch alarms (the topic). Put them into the policy of a key that is
 * imported. A key made in the same app gets them without that. The role of the function needs nothing there, as long as the policy leaves
 * it to IAM (`kms:*` for the account's root).
 *
 * @param scope where the poller is, or will be: the names of its account, region and stack count
 * @param busName of the poller's own bus; left out when it is given an `eventBus`
 * @param factsBusName of the bus of facts, where there is one
 * @example for (const statement of keyPolicyStatements(this, "survey-poller")) key.addToResourcePolicy(statement);
 */
export function keyPolicyStatements(scope: Construct, busName?: string, factsBusName?: string): PolicyStatement[] {
  const logs = `logs.${Aws.REGION}.${Aws.URL_SUFFIX}`;
  const events = "events.amazonaws.com";
  const ofAccount = { StringEquals: { "aws:SourceAccount": Stack.of(scope).account } };
  // Made of names alone: a reference to what the key encrypts would be a circle.
  const ownLogs = [`${Stack.of(scope).stackName}-*`, ...(busName === undefined ? [] : [busLogName(busName)])];
  const logGroups = ownLogs.map((name) => arnIn(scope, "logs", `log-group:${name}`));
  // What is encrypted on its way from the bus to its log names neither of the two.
  const delivered = { ArnLike: { "kms:EncryptionContext:SourceArn": arnIn(scope, "logs", "*") } };
  const names = busName === undefined || factsBusName === undefined ? [busName ?? "*"] : [busName, factsBusName];
  const buses = names.map((name) => arnIn(scope, "events", `event-bus/${name}`));
  const bus = buses.length === 1 ? buses[0] : buses;
  return [
    allowService("KeepLogs", logs, ["Decrypt", "DescribeKey", "Encrypt", "GenerateDataKey*", "ReEncrypt*"], {
      ArnLike: { "kms:EncryptionContext:aws:logs:arn": logGroups },
    }),
    allowService("DescribeForBus", events, ["DescribeKey"], ofAccount),
    // A bus that is given has an archive too, which is encrypted with this key.
    allowService("KeepEvents", events, ["Decrypt", "GenerateDataKey", "ReEncrypt*"], {
      ...ofAccount,
      ArnLike: { "kms:EncryptionContext:aws:events:event-bus:arn": bus },
    }),
    ...(busName === undefined
      ? []
      : [
          allowService("EncryptBusLog", events, ["GenerateDataKey"], delivered),
          allowService("DeliverBusLog", "delivery.logs.amazonaws.com", ["Decrypt"], delivered),
        ]),
    // EventBridge does not always tell KMS for which rule it sends; which rules may is in the policy of each queue.
    allowService("SendToDeadLetters", events, ["Decrypt", "GenerateDataKey"], ofAccount),
    allowService("TellAlarms", "cloudwatch.amazonaws.com", ["Decrypt", "GenerateDataKey*"], ofAccount),
  ];
}

function allowService(sid: string, service: string, actions: string[], conditions: Conditions): PolicyStatement {
  const kms = actions.map((action) => `kms:${action}`);
  return letService(service, { sid: `SurveyPoller${sid}`, actions: kms, resources: ["*"], conditions });
}
