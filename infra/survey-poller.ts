import { Annotations, Duration, RemovalPolicy, Tags, Token } from "aws-cdk-lib";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import type { CfnArchive, IEventBus, Rule } from "aws-cdk-lib/aws-events";
import type { Grant, IGrantable } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Alias, type Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { type Config, ConfigError } from "../lib/config/index.ts";
import { DAY } from "../lib/config/units.ts";
import { RESEND_ALIAS } from "../lib/run/poll-input.ts";
import { companionsOf, createBus, createBusCompanions, createFactsBus, refuseOnForeignBus } from "./bus.ts";
import { keyPolicyStatements, may } from "./encryption.ts";
import { createPollFunction } from "./functions.ts";
import { leftOut, uncertainStarts } from "./left-out.ts";
import { deploymentName, type MetricsOwner, PollerMetrics } from "./monitoring/metrics.ts";
import { Monitoring } from "./monitoring/monitoring.ts";
import { createNetwork } from "./network.ts";
import { alphanumeric, type Outputs, outputsOf } from "./outputs.ts";
import {
  acknowledgeAnyKey,
  acknowledgeFamilies,
  grantAll,
  grantFill,
  grantReadAnswers,
  grantReadState,
  pollStatements,
  shareAnswers,
} from "./permissions.ts";
import type { SurveyPollerProps } from "./props.ts";
import { createDeadLetters } from "./queues.ts";
import { readProps } from "./read-props.ts";
import { areMany, sourceScopes } from "./source-scopes.ts";
import { createSourceSecrets, type SourceSecrets, secretsVariables } from "./source-secrets.ts";
import { createClaimCheckBucket, createStateTable } from "./storage.ts";
import { createSubscription, type ResponseCompletedProps, type Subscription } from "./subscriptions/subscribe.ts";
import { createWebhooks } from "./subscriptions/webhooks.ts";
import { createSchedules, createTickQueue, startTicks, tickStatements } from "./ticks.ts";

/** Milliseconds for which a response may wait for its metrics and what is kept of it be the only copy left. */
const LONGEST_OUTAGE = 14 * DAY;

/**
 * Polls one or more accounts of the survey service and puts one `response.completed` event for each completed response on a bus.
 *
 * @example
 * const poller = new SurveyPoller(this, "SurveyPoller", { sources: [{ baseUrl: "https://surveys.example.com" }] });
 * poller.onResponseCompleted("Completed", { target: new SqsQueue(queue) });
 */
export class SurveyPoller extends PollerMetrics {
  readonly config: Config;
  readonly bus: IEventBus;
  /** The bus with copies of the events that hold nothing personal; undefined without `bus.facts`. */
  readonly factsBus: IEventBus | undefined;
  readonly table: ITable;
  readonly claimCheckBucket: Bucket;
  /** Ticks that the schedules could not start, or that were cut off. */
  readonly deadLetters: Queue;
  readonly pollFunction: LambdaFunction;
  /** `pollFunction` for subscribers: it takes the operations `emitted` and `resend`, and nothing else. */
  readonly resendFunction: Alias;
  /** In the order of the sources. */
  readonly secrets: readonly SourceSecrets[];
  readonly encryptionKey: IKey | undefined;
  /** The topic that alarms are told to; undefined without alarms. */
  readonly alarmTopic: ITopic | undefined;
  /** Undefined where the configuration switches it off. */
  readonly archive: CfnArchive | undefined;
  /** Subscriptions made of the configuration's webhooks, by name. */
  readonly webhooks: ReadonlyMap<string, Subscription>;
  readonly monitoring: Monitoring;
  /** Notes on things that defaults of the configuration leave out, one line each. */
  readonly leftOut: readonly string[];
  protected readonly metricsOwner: MetricsOwner;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #subscriptionScope = new Construct(this, "Subscriptions");

  /** @throws ConfigError that names every bad field */
  constructor(scope: Construct, id: string, props: SurveyPollerProps) {
    super(scope, id);
    const { config, input, resources, settings, outputPrefix } = readProps(props);
    const { sources, bus, monitoring } = config;
    refuseOnForeignBus(this, resources.eventBus, companionsOf(config));
    const { encryptionKey, proxy } = resources;
    this.config = config;
    this.encryptionKey = encryptionKey;
    const deployment = deploymentName(this);
    this.metricsOwner = { deployment, sources, level: monitoring.level };
    this.leftOut = leftOut(config, resources.alarmTopic !== undefined);
    for (const line of this.leftOut) Annotations.of(this).addInfo(line);
    for (const line of uncertainStarts(config)) Annotations.of(this).addWarningV2("survey-poller:start", line);
    const ownBus = resources.eventBus === undefined ? bus.name : undefined;
    for (const statement of keyPolicyStatements(this, ownBus, bus.facts?.name))
      encryptionKey?.addToResourcePolicy(statement);

    // What a rolled-back first deployment made holds nothing, and goes in any case.
    const removalPolicy =
      settings.onRemoval === "destroy" ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
    const keeping = { encryptionKey, removalPolicy };
    const deadLetters = createDeadLetters(this, encryptionKey);
    this.deadLetters = deadLetters;
    this.bus =
      resources.eventBus ??
      createBus(this, {
        name: bus.name,
        description: "Completed survey responses",
        logging: bus.logging,
        deadLetters,
        ...keeping,
      });
    this.factsBus = createFactsBus(this, bus, { ...keeping, deadLetters });
    this.table = resources.stateTable ?? createStateTable(this, "Table", keeping);
    // One bucket and one log group serve all sources, so the longest period asked for holds.
    // Large records in quarantine lie in the bucket too.
    const kept = Math.max(...sources.map(({ retention }) => retention.quarantine)) + LONGEST_OUTAGE;
    const all = Math.max(kept, ...sources.map(({ retention }) => retention.claimCheck));
    const periods = { all: Duration.millis(all), kept: Duration.millis(kept) };
    this.claimCheckBucket = createClaimCheckBucket(this, periods, keeping);
    shareAnswers(this.claimCheckBucket, config.subscribers.accounts);
    this.secrets = sources.map((source) =>
      createSourceSecrets(this, source, encryptionKey, resources.secrets?.[source.name]),
    );
    const logDays = Math.max(...sources.map(({ retention }) => retention.logs)) / DAY;
    this.archive = createBusCompanions(this, {
      bus: this.bus,
      config,
      isOwn: ownBus !== undefined,
      // A bus that was given may have other pollers on it, and names are shared by all of an account's region.
      busName: ownBus ?? deployment,
      logDays,
      ...keeping,
    });

    const called = [
      ...sources.map(({ baseUrl }) => baseUrl),
      ...config.webhooks.map(({ url }) => url),
      ...(proxy === undefined || Token.isUnresolved(proxy) ? [] : [proxy]),
    ];
    const network = createNetwork(this, resources, called);
    const surroundings = { logDays, tracing: settings.tracing, network, encryptionKey };
    const tickQueue = createTickQueue(this, sources, encryptionKey);
    this.pollFunction = createPollFunction(this, {
      ...surroundings,
      memory: settings.memory,
      config: input,
      environment: {
        TABLE_NAME: this.table.tableName,
        // A bus of another account is known by its ARN only.
        BUS_NAME: resources.eventBus?.eventBusArn ?? this.bus.eventBusName,
        ...(this.factsBus === undefined ? {} : { FACTS_BUS_NAME: this.factsBus.eventBusName }),
        CLAIM_CHECK_BUCKET: this.claimCheckBucket.bucketName,
        ...secretsVariables(this, resources.secrets),
        POWERTOOLS_SERVICE_NAME: deployment,
        ...(proxy === undefined ? {} : { SURVEY_PROXY: proxy }),
        ...(tickQueue === undefined ? {} : { TICK_QUEUE_URL: tickQueue.queueUrl }),
      },
      statements: [...pollStatements(this), ...tickStatements(tickQueue)],
      deadLetters,
    });
    // Of the function as it is: a version of its own for each deployment would be a function more to keep alive.
    const version = this.pollFunction.latestVersion;
    this.resendFunction = new Alias(this, "Resend", { aliasName: RESEND_ALIAS, version });
    acknowledgeAnyKey(this, this.claimCheckBucket, "*");
    acknowledgeFamilies(this, this.secrets);
    const scopeOf = sourceScopes(this, sources);
    this.monitoring = new Monitoring(this, {
      config,
      owner: this.metricsOwner,
      pollFunction: this.pollFunction,
      memory: settings.memory,
      table: this.table,
      deadLetters,
      alarmTopic: resources.alarmTopic,
      encryptionKey,
      scopeOf,
    });
    this.alarmTopic = this.monitoring.topic;
    const output = outputsOf(this, outputPrefix ?? alphanumeric(id));
    this.webhooks = createWebhooks(this, {
      ...surroundings,
      webhooks: config.webhooks,
      config: input,
      bus: this.bus,
      sources,
      claimCheckBucket: this.claimCheckBucket,
      deployment,
      monitoring: this.monitoring,
      output,
    });
    startTicks(this, tickQueue, this.pollFunction);
    createSchedules(this, { sources, target: this.pollFunction, deadLetters, encryptionKey, scopeOf });
    this.#tell(output);
    Tags.of(this).add("survey-poller", this.node.path);
  }

  /** Outputs for somebody who works with the deployment. */
  #tell(output: Outputs): void {
    const { bus, factsBus, archive, secrets, monitoring } = this;
    output("BusName", bus.eventBusName, "The bus to subscribe to");
    output("BusArn", bus.eventBusArn, "The bus to subscribe to");
    if (factsBus !== undefined)
      output("FactsBusArn", factsBus.eventBusArn, "The bus to subscribe to for what is not personal");
    if (archive !== undefined) output("ArchiveArn", archive.attrArn, "What to replay events from");
    output("PollFunctionName", this.pollFunction.functionName, "Invoke it to poll at once");
    output("ResendFunctionArn", this.resendFunction.functionArn, "Lets a subscriber have events sent again");
    output("PollLogGroupName", this.pollFunction.logGroup.logGroupName, "What ticks came to");
    output("DeadLetterQueueUrl", this.deadLetters.queueUrl, "Ticks that were not started, or were cut off");
    output("TableName", this.table.tableName, "The books");
    output("ClaimCheckBucketName", this.claimCheckBucket.bucketName, "Answers too large for an event");
    if (monitoring.dashboardUrl !== undefined)
      output("DashboardUrl", monitoring.dashboardUrl, "Is it well, how late, what does it cost");
    // A stack takes 200 outputs. The names are those of the sources in any case.
    for (const { source, credentials, token } of areMany(secrets) ? [] : secrets) {
      const suffix = secrets.length === 1 ? "" : alphanumeric(source);
      output(`CredentialsSecretName${suffix}`, credentials.name, 'Put {"clientId":"...","clientSecret":"..."} here');
      output(`TokenSecretName${suffix}`, token.name, "Kept by the poller");
    }
  }

  /** Lets somebody poll at once, by invoking `pollFunction` with `{}` or `{"source":"main"}`. */
  grantInvoke(grantee: IGrantable): Grant {
    return grantAll(grantee, [may("StartTick", ["lambda:InvokeFunction"], this.pollFunction.functionArn)]);
  }

  /** Lets a subscriber read which events there are, and have them sent again, by invoking `resendFunction`. */
  grantResend(grantee: IGrantable): Grant {
    return grantAll(grantee, [may("SendAgain", ["lambda:InvokeFunction"], this.resendFunction.functionArn)]);
  }

  /** Lets a consumer of events read the answers that `data.answersRef` points to, and nothing else of the bucket. */
  grantReadAnswers(grantee: IGrantable): Grant {
    return grantReadAnswers(this.claimCheckBucket, grantee);
  }

  /** Lets somebody find responses that were set aside, and put them back on their way: `survey-poller quarantine`. */
  grantRedrive(grantee: IGrantable): Grant {
    return this.grantInvoke(grantee).combine(this.grantReadState(grantee));
  }

  /**
   * Lets somebody put credentials into their secret, but not read them.
   *
   * @param source its name; without it the credentials of all sources
   * @throws ConfigError when there is no such source
   */
  grantFillCredentials(grantee: IGrantable, source?: string): Grant {
    const chosen = this.secrets.filter((one) => source === undefined || one.source === source);
    if (chosen.length === 0) {
      const names = this.secrets.map((one) => `"${one.source}"`).join(", ");
      throw new ConfigError([{ path: "source", message: `must be one of ${names}` }]);
    }
    const credentials = chosen.map((one) => one.credentials);
    return grantFill(credentials, grantee);
  }

  /** Lets somebody read the books: what was emitted, what waits, what is in quarantine (with the records themselves). */
  grantReadState(grantee: IGrantable): Grant {
    return grantReadState(this.table, grantee);
  }

  /**
   * Subscribes a target to completed responses, with a dead-letter queue of its own and an alarm on it.
   *
   * @param id of the subscription, unique in this poller
   * @returns the rule; its queue is in `subscriptions`
   * @throws ConfigError that names every field and value in `where` that no event has
   * @example
   * poller.onResponseCompleted("Detractors", {
   *   where: { data: { summary: { nps: { class: ["detractor"] }, test: [false] } } },
   *   target: new SqsQueue(queue),
   * });
   */
  onResponseCompleted(id: string, props: ResponseCompletedProps): Rule {
    const { sources } = this.config;
    refuseOnForeignBus(this, this.bus, ["onResponseCompleted"]);
    const subscription = createSubscription(this.#subscriptionScope, id, props, {
      bus: this.bus,
      sources,
      encryptionKey: this.encryptionKey,
    });
    this.#subscriptions.set(id, subscription);
    if (subscription.deadLetters !== undefined) {
      this.monitoring.watchDeadLetters(`Subscription-${id}`, subscription.deadLetters, `subscription ${id}`);
    }
    return subscription.rule;
  }

  /** Subscriptions that `onResponseCompleted` has made, by id. */
  get subscriptions(): ReadonlyMap<string, Subscription> {
    return this.#subscriptions;
  }
}
