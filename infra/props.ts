import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import type { ISecurityGroup, IVpc, SubnetSelection } from "aws-cdk-lib/aws-ec2";
import type { IEventBus } from "aws-cdk-lib/aws-events";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { ConfigInput } from "../lib/config/index.ts";

/**
 * Constructs that exist already, to be used instead of new ones. All of it is optional. Without any of it the poller makes what it needs,
 * encrypted with keys that AWS owns. It then reaches the survey service straight from the internet.
 */
export interface SurveyPollerResources {
  /**
   * The bus that gets the events. Default: a bus of the poller's own, named by `bus.name`; beside an `eventBus` that name must not be
   * stated. The poller never changes a bus that it is given, but for the rules and policies it is asked for.
   */
  eventBus?: IEventBus;
  /**
   * The table that keeps the books, such as the one that an earlier deployment left. Default: a new one, which means that history
   * begins anew (`startFrom`). It must have the keys and the index that `createStateTable` gives a table; that is checked at
   * synthesis as far as it can be known. When it is encrypted with a key of your own, import it with that key:
   * `Table.fromTableAttributes(this, "Books", { tableName, encryptionKey })`.
   */
  stateTable?: ITable;
  /** The topic that alarms are told to. Default: one of the poller's own. */
  alarmTopic?: ITopic;
  /**
   * One symmetric key for everything that the poller makes: table, bucket, queues, secrets, bus, log groups, topic, and the environment of
   * the function. Default: keys that AWS owns, which cost nothing. The role of the function is granted what it needs. The policy of a key
   * that is made in the same app gets what AWS services need. The policy of an imported key cannot be changed from here. Before the
   * deployment it must hold the statements that `keyPolicyStatements` gives for the same construct.
   */
  encryptionKey?: IKey;
  /**
   * Where the function runs. Default: outside of any VPC, with addresses that change. In a VPC it leaves by the addresses of its NAT gateways,
   * for services that allow only some. It needs to reach the survey service, DynamoDB, EventBridge, S3, Secrets Manager and, for ticks within
   * a minute, SQS: by a NAT gateway or by endpoints.
   */
  vpc?: IVpc;
  /** Which subnets of `vpc`. Default: the private ones that have a way out. */
  vpcSubnets?: SubnetSelection;
  /** Security groups in `vpc`. Default: one that lets out https, and the ports of the configured addresses, and lets nothing in. */
  securityGroups?: ISecurityGroup[];
  /**
   * URL of an HTTP proxy for all requests to the survey service, such as `http://proxy.example.com:3128`. Default: none. Requests
   * go through a tunnel, so that the proxy sees neither token nor answers. It may not hold a user name or password. AWS itself is reached without it.
   */
  proxy?: string;
  /**
   * Credentials secrets that are there already, by source name: a secret of the same account and region, or its name. Each holds
   * `{"clientId":"…","clientSecret":"…"}`, or that under the name of each source that shares it. Default: an empty one for each source, made by the poller. The same can be said in the configuration by
   * `credentialsSecret`, but not both. A secret encrypted with a key of your own is given as `Secret.fromSecretAttributes` with that
   * key.
   */
  secrets?: Readonly<Record<string, ISecret | string>>;
}

/** How the poller is deployed. */
export interface DeploymentSettings {
  /** MB, 128 to 10,240. With it comes a share of a processor. Default 512. */
  memory?: number;
  /** Whether Lambda sends traces to X-Ray, and each line of the log names its trace. Default false. */
  tracing?: boolean;
  /**
   * Whether the table, the bus, its archive and the bucket go when the stack is deleted. "keep" leaves them there with all that is in
   * them, so that a new deployment can go on. "destroy" deletes them too, and empties the bucket. Things that you have given stay. Default
   * "keep".
   */
  onRemoval?: OnRemoval;
}

export const ON_REMOVAL = ["keep", "destroy"] as const;
export type OnRemoval = (typeof ON_REMOVAL)[number];

/**
 * The configuration, as in cdk.json or a file, and what the poller is to use of yours.
 *
 * @example
 * { sources: [{ baseUrl: "https://surveys.example.com" }], vpc, encryptionKey }
 */
export interface SurveyPollerProps extends ConfigInput, SurveyPollerResources, DeploymentSettings {
  /** Text in front of the names of the stack's outputs, letters and digits. Default: the id of the construct. */
  outputPrefix?: string;
}
