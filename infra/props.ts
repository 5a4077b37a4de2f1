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
  /** The accounts of the survey service, one at least. */
  sources: SourceProps[];
  /** Text in front of the names of the stack's outputs, letters and digits. Default: the id of the construct. */
  outputPrefix?: string;
}

/** A number and its unit, `ms`, `s`, `m`, `h` or `d`: `"500ms"`, `"30s"`, `"5m"`, `"2h"`, `"7d"`. */
type Duration = string;

/**
 * One account of the survey service, as the configuration states it. Only `baseUrl` has no default.
 *
 * @example { name: "eu", baseUrl: "https://surveys.example.com", interval: "5m", timeZone: "Europe/Warsaw" }
 */
export interface SourceProps {
  /** Scheme and host of the service, and a path before `/api` if it has one. https. */
  baseUrl: string;
  /** Identity of the source: it is in every key and in every event id, so that another name begins anew. Default "main". */
  name?: string | undefined;
  /** Whether its schedule runs. Default true. */
  enabled?: boolean | undefined;
  /** Which surveys are polled. Default "all". */
  surveys?: "all" | { include: number[] } | { exclude: number[] } | undefined;
  /** Between ticks: whole minutes, or "10s", "12s", "15s", "20s" or "30s". Default "1m". */
  interval?: Duration | undefined;
  /**
   * Beginning of history: a response completed before it is never emitted. "now", "beginning" or a date `YYYY-MM-DD`. Acts at the first
   * tick. Default "now".
   */
  startFrom?: string | undefined;
  /** IANA zone of the service's dates, such as "Europe/Warsaw". Without it events have local times alone. */
  timeZone?: string | undefined;
  /** Parts of an event beside the answers. Both true by default; each costs one request a response. */
  enrich?: { metrics?: boolean | undefined; metadata?: boolean | undefined } | undefined;
  /**
   * Words of their questions in answers: text and labels of the chosen answers, these labels alone, or nothing. Default "full", which costs
   * a request for each edit of a survey.
   */
  questions?: "full" | "labels" | "none" | undefined;
  /**
   * Two numbers of points by the name of a metric: below the first it is low, from the second on high. Default: those of the service.
   *
   * @example { Effort: [4, 6] }
   */
  thresholds?: Record<string, [number, number]> | undefined;
  /** Parts of a response that leave the function. By default `ip` is "truncate", the others "keep". */
  privacy?:
    | {
        ip?: "keep" | "truncate" | "drop" | undefined;
        referrer?: "keep" | "drop" | undefined;
        comments?: "keep" | "drop" | undefined;
        /** Keys whose hashes the ledger keeps, so that `forget` finds a person by them. Default none. */
        findBy?: ("crk" | "referrer")[] | undefined;
      }
    | undefined;
  /** Most requests a second, above 0. Default: what the service allows, as it is learned from its answers. */
  maxRequestsPerSecond?: number | undefined;
  /**
   * Whole days that things are kept. Default `{ quarantine: "30d", archive: "30d", claimCheck: "60d", logs: "30d" }`; `claimCheck` at least
   * `archive` + 14d. Of several sources in one deployment the longest holds.
   */
  retention?:
    | {
        quarantine?: Duration | undefined;
        archive?: Duration | undefined;
        claimCheck?: Duration | undefined;
        logs?: Duration | undefined;
      }
    | undefined;
  /** `Source` of the events. Default "survey-poller". */
  eventSource?: string | undefined;
  /** Default "info". */
  logLevel?: "debug" | "info" | "warn" | "error" | undefined;
  /** Name of a secret that is there already and holds the credentials, of this source or of several, each under its name. Default: an empty one is made for them. */
  credentialsSecret?: string | undefined;
  /** Seldom right to touch, and promised to nobody: a new version may change them. */
  advanced?: AdvancedProps | undefined;
}

export interface AdvancedProps {
  /**
   * How often pages are read whatever the counts say. `every`: the first one, then the first two, four and so on, to the end of the list. `full`: all pages, which closes
   * the books. Default `{ every: "15m", full: "7d" }`.
   */
  rescan?: { every?: Duration | undefined; full?: Duration | undefined } | undefined;
  /** Requests a tick may spend on everything slow, 1 to 1000. Default 30. */
  backgroundRequests?: number | undefined;
  /** Pages of news above which a poll begins a backlog. Default 20. */
  headPages?: number | undefined;
  /** Most requests in flight, 1 to 256. Default 16. */
  concurrency?: number | undefined;
  /** Where contents come from. Default "auto": from pages, until the source is seen to scatter the records of a response. */
  contents?: "auto" | "pages" | "single" | undefined;
  /** Default `{ connect: "5s", response: "30s" }`. */
  timeouts?: { connect?: Duration | undefined; response?: Duration | undefined } | undefined;
  /** How long a response waits for metrics and metadata that cannot be had, before it goes out without. Default "15m". */
  enrichmentPatience?: Duration | undefined;
  /** How long metrics or metadata must have been absent to count as absent. Default "1m". */
  absentAfter?: Duration | undefined;
  /** Size of an event above which its answers go to the claim-check bucket. Default "200KB", at most "900KB". */
  inlineLimit?: string | undefined;
}
