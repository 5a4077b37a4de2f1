import { Names, RemovalPolicy, Stack, Token, TokenComparison } from "aws-cdk-lib";
import { CfnArchive, CfnEventBusPolicy, EventBus, type IEventBus, IncludeDetail, Level } from "aws-cdk-lib/aws-events";
import { CfnRegistry, CfnSchema } from "aws-cdk-lib/aws-eventschemas";
import { AccountPrincipal, AnyPrincipal, type IPrincipal, PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import {
  CfnDelivery,
  CfnDeliveryDestination,
  CfnDeliverySource,
  type CfnLogGroup,
  LogGroup,
  type RetentionDays,
} from "aws-cdk-lib/aws-logs";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { StringParameter } from "aws-cdk-lib/aws-ssm";
import { Construct } from "constructs";
import { type Config, ConfigError, type SourceConfig, type SubscribersConfig } from "../lib/config/index.ts";
import { DAY } from "../lib/config/units.ts";
import { DETAIL_TYPE, EVENT_TYPES, type EventType, eventJsonSchema } from "../lib/events/index.ts";
import { arnIn, busLogName, letService } from "./encryption.ts";
import { takeEvents } from "./queues.ts";

interface BusProps {
  name: string;
  description: string;
  /** Whether it logs what it could not deliver. */
  logging: boolean;
  encryptionKey: IKey | undefined;
  /** For events that cannot be encrypted or decrypted, which an unencrypted bus has none of. */
  deadLetters: Queue;
  removalPolicy: RemovalPolicy;
}

/**
 * The bus that gets the events. By default it outlives its stack: EventBridge refuses to delete a bus that has rules, and every subscriber
 * makes one.
 */
export function createBus(scope: Construct, props: BusProps): EventBus {
  const { name, description, logging, encryptionKey, deadLetters, removalPolicy } = props;
  const bus = new EventBus(scope, "Bus", {
    eventBusName: name,
    description,
    // Only what failed, and nothing of the events themselves: they are personal data.
    ...(logging ? { logConfig: { level: Level.ERROR, includeDetail: IncludeDetail.NONE } } : {}),
    ...(encryptionKey && { kmsKey: encryptionKey, deadLetterQueue: deadLetters }),
  });
  bus.applyRemovalPolicy(removalPolicy);
  const sid = `KeepUnreadableEvents${scope.node.id === FACTS ? FACTS : ""}`;
  if (encryptionKey !== undefined) takeEvents(deadLetters, sid, bus.eventBusArn);
  return bus;
}

const FACTS = "Facts";

/** The bus that gets a copy of each event without what is personal. Accounts that may make rules on it see nothing else. */
export function createFactsBus(
  scope: Construct,
  { facts }: Config["bus"],
  props: Pick<BusProps, "encryptionKey" | "deadLetters" | "removalPolicy">,
): EventBus | undefined {
  if (facts === undefined) return undefined;
  const inner = new Construct(scope, FACTS);
  const description = "Completed survey responses without comments, metadata and keys";
  const bus = createBus(inner, { ...props, name: facts.name, description, logging: false });
  new StringParameter(inner, "BusArn", {
    parameterName: `/survey-poller/${facts.name}/bus-arn`,
    description: "The bus with facts of completed survey responses",
    stringValue: bus.eventBusArn,
  });
  shareBus(inner, bus, facts);
  return bus;
}

/** Brings to a log group what the bus reports: without it a bus that logs writes nowhere. */
function createBusLog(scope: Construct, { bus, busName, logDays, encryptionKey }: BusCompanionsProps): void {
  const logGroupName = busLogName(busName);
  const logGroup = new LogGroup(scope, "BusLog", {
    logGroupName,
    retention: logDays as RetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
    encryptionKey,
  });
  // On the group itself: of policies for the account there may be ten in a region, and others need them too.
  (logGroup.node.defaultChild as CfnLogGroup).resourcePolicyDocument = new PolicyDocument({
    statements: [
      letService("delivery.logs.amazonaws.com", {
        sid: "DeliverBusLog",
        actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
        // By its name: a reference from the group to itself would be a circle.
        resources: [arnIn(scope, "logs", `log-group:${logGroupName}:log-stream:*`)],
        conditions: {
          StringEquals: { "aws:SourceAccount": Stack.of(scope).account },
          ArnLike: { "aws:SourceArn": arnIn(scope, "logs", "delivery-source:*") },
        },
      }),
    ],
  });

  const source = new CfnDeliverySource(scope, "BusLogSource", {
    name: nameOf(scope, "errors"),
    logType: "ERROR_LOGS",
    resourceArn: bus.eventBusArn,
  });
  const destination = new CfnDeliveryDestination(scope, "BusLogDestination", {
    name: nameOf(scope, "log"),
    deliveryDestinationType: "CWL",
    destinationResourceArn: logGroup.logGroupArn,
    outputFormat: "json",
  });
  const delivery = new CfnDelivery(scope, "BusLogDelivery", {
    deliverySourceName: source.ref,
    deliveryDestinationArn: destination.attrArn,
  });
  delivery.node.addDependency(source);
}

/** Names of delivery ends are shared by all of an account's region. */
function nameOf(scope: Construct, end: string): string {
  return `${Names.uniqueResourceName(scope, { maxLength: 60 - end.length - 1 })}-${end}`;
}

interface BusCompanionsProps {
  bus: IEventBus;
  config: Config;
  /** Whether the poller made the bus: what is logged is a property of the bus itself. */
  isOwn: boolean;
  /** Of the bus, as text: names are made of it. */
  busName: string;
  logDays: number;
  encryptionKey?: IKey | undefined;
  /** Of the archive. */
  removalPolicy: RemovalPolicy;
}

/** Everything that the configuration asks for beside the bus. Returns the archive, unless it is switched off. */
export function createBusCompanions(scope: Construct, props: BusCompanionsProps): CfnArchive | undefined {
  const { bus, busName } = props;
  const { sources, bus: wanted, subscribers } = props.config;
  // Tells other stacks where the bus is, without a reference that would tie their deployments to this one.
  new StringParameter(scope, "BusArn", {
    parameterName: wanted.arnParameter ?? `/survey-poller/${busName}/bus-arn`,
    description: "The bus with completed survey responses",
    stringValue: bus.eventBusArn,
  });
  shareBus(scope, bus, subscribers);
  if (wanted.schemaRegistry) createSchemaRegistry(scope, busName, sources);
  if (wanted.logging && props.isOwn) createBusLog(scope, props);
  return wanted.archive ? createArchive(scope, props) : undefined;
}

/**
 * Keeps every event for a replay, by default also when its stack goes: the ledger says that these events went out, so nothing else would bring them
 * again. One archive serves all sources, so the longest period asked for holds.
 */
function createArchive(scope: Construct, props: BusCompanionsProps): CfnArchive {
  const { bus, encryptionKey, removalPolicy } = props;
  const { sources } = props.config;
  const { source, detailType } = eventPattern(sources, EVENT_TYPES);
  // The library's own construct would name the bus in the key's policy: with a bus that is encrypted by the same key, a circle.
  const archive = new CfnArchive(scope, "Archive", {
    sourceArn: bus.eventBusArn,
    description: "Completed survey responses, for a replay",
    eventPattern: { source, "detail-type": detailType },
    retentionDays: Math.max(...sources.map(({ retention }) => retention.archive)) / DAY,
    kmsKeyIdentifier: encryptionKey?.keyArn,
  });
  archive.applyRemovalPolicy(removalPolicy);
  return archive;
}

/** The contract, where EventBridge's console and code bindings look for it: a schema for each type and each `source` that events come under. */
function createSchemaRegistry(scope: Construct, busName: string, sources: readonly EventSource[]): void {
  const registry = new CfnRegistry(scope, "SchemaRegistry", {
    // A bus may have a longer name than a registry.
    registryName: busName.slice(0, 64),
    description: "Completed survey responses",
  });
  for (const eventSource of new Set(sources.map((source) => source.eventSource))) {
    // Schema discovery names its schemas so too. An event source may hold a slash, which the name of a schema may not. It may not hold "@",
    // so no two of them become one.
    const name = eventSource.replaceAll("/", "@");
    for (const type of EVENT_TYPES) {
      const schema = eventJsonSchema(type, "draft-4", eventSource);
      new CfnSchema(registry, type === DETAIL_TYPE ? name : `${name}@${type}`, {
        registryName: registry.attrRegistryName,
        schemaName: `${name}@${type}`,
        type: "JSONSchemaDraft4",
        description: schema.title,
        content: JSON.stringify(schema),
      });
    }
  }
}

/** Actions by which CloudFormation in the subscriber's account makes, changes, tags and deletes a rule of its own. */
const MANAGE_RULES = [
  ...["PutRule", "DeleteRule", "DescribeRule", "EnableRule", "DisableRule"],
  ...["PutTargets", "RemoveTargets", "ListTargetsByRule"],
  ...["TagResource", "UntagResource", "ListTagsForResource"],
].map((action) => `events:${action}`);

/**
 * Lets other accounts make rules on the bus, and see and change those that they made. They need nothing else: what their rules match goes to buses
 * of theirs. They may put no events.
 */
function shareBus(scope: Construct, bus: IEventBus, { accounts, organizationId }: SubscribersConfig): void {
  const allow = (id: string, principals: IPrincipal[], conditions?: Record<string, unknown>): CfnEventBusPolicy => {
    // Two pollers may share a bus, whose statements are told apart by their ids.
    const statementId = `${id}-${scope.node.addr.slice(-8)}`;
    const statement = new PolicyStatement({
      sid: statementId,
      principals,
      actions: MANAGE_RULES,
      resources: [arnIn(scope, "events", `rule/${bus.eventBusName}/*`)],
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
  };
  const principals = [...new Set(accounts)].map((account) => new AccountPrincipal(account));
  const named = accounts.length === 0 ? undefined : allow("SubscriberAccounts", principals);
  if (organizationId === undefined) return;
  const ofOrganization = { StringEquals: { "aws:PrincipalOrgID": organizationId } };
  const whole = allow("SubscriberOrganization", [new AnyPrincipal()], ofOrganization);
  // A bus has one policy: two statements put at the same moment are told to try again.
  if (named !== undefined) whole.node.addDependency(named);
}

export type EventSource = Pick<SourceConfig, "eventSource">;

/** All events of these types and sources. The bus may be one that others use too, so both names are asked for. */
export function eventPattern(sources: readonly EventSource[], types: readonly EventType[] = [DETAIL_TYPE]) {
  return { source: [...new Set(sources.map(({ eventSource }) => eventSource))], detailType: [...types] };
}

/** The parts of a configuration that are made beside the bus, in the bus's own account. */
export function companionsOf({ bus, webhooks, subscribers }: Config): string[] {
  const { accounts, organizationId } = subscribers;
  return [
    ...(bus.archive ? ["bus.archive"] : []),
    ...(webhooks.length > 0 ? ["webhooks"] : []),
    ...(accounts.length > 0 || organizationId !== undefined ? ["subscribers"] : []),
  ];
}

/**
 * Archives, rules and policies of a bus can be made in its own account only. A rule made here would name a bus of this account, if there is one, and
 * never match: lost in silence. Where a stack does not know its account they cannot be compared.
 *
 * @throws ConfigError that names all of `asked`, when there is any and the bus is in another account
 */
export function refuseOnForeignBus(scope: Construct, bus: IEventBus | undefined, asked: readonly string[]): void {
  if (bus === undefined || asked.length === 0) return;
  if (Token.compareStrings(bus.env.account, Stack.of(scope).account) !== TokenComparison.DIFFERENT) return;
  throw new ConfigError(
    asked.map((path) => ({ path, message: "cannot be had of a bus in another account" })),
    { hint: "Switch it off here, and make it in the account of the bus." },
  );
}
