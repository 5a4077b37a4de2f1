import { Duration, Validations } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { EventBus } from "aws-cdk-lib/aws-events";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { DAY } from "../lib/config/units.ts";
import { type Config, type ConfigInput, notYetActing, parseConfig } from "../lib/config.ts";
import { createClaimCheckBucket } from "./claim-check-bucket.ts";
import { createDeadLetterQueue } from "./dead-letter-queue.ts";
import { acknowledgeObjectWildcard, pollStatements } from "./permissions.ts";
import { createPollFunction } from "./poll-function.ts";
import { createSchedules } from "./schedules.ts";
import { createSourceSecrets, type SourceSecrets, secretsVariable } from "./source-secrets.ts";
import { createTable } from "./state-table.ts";

/**
 * Polls one or more accounts of the survey service and puts one `response.completed` event for each completed response on
 * a bus of its own.
 *
 * @example
 * const poller = new SurveyPoller(this, "SurveyPoller", { sources: [{ baseUrl: "https://surveys.example.com" }] });
 * new Rule(this, "Completed", { eventBus: poller.bus, eventPattern: { detailType: ["response.completed"] } });
 */
export class SurveyPoller extends Construct {
  readonly config: Config;
  readonly bus: EventBus;
  readonly table: Table;
  readonly claimCheckBucket: Bucket;
  readonly deadLetters: Queue;
  readonly pollFunction: LambdaFunction;
  /** In the order of the sources. */
  readonly secrets: readonly SourceSecrets[];

  /** @throws ConfigError that names every bad field */
  constructor(scope: Construct, id: string, props: ConfigInput) {
    super(scope, id);
    this.config = parseConfig(props, { deployed: true });
    const { sources, bus } = this.config;
    for (const notice of notYetActing(this.config))
      Validations.of(this).addWarning("survey-poller:not-yet-acting", notice);

    this.bus = new EventBus(this, "Bus", { eventBusName: bus.name, description: "Completed survey responses" });
    this.table = createTable(this);
    // One bucket and one log group serve all sources, so the longest period asked for holds.
    // Large records in quarantine lie in the bucket too.
    const kept = Math.max(...sources.flatMap(({ retention }) => [retention.claimCheck, retention.quarantine]));
    this.claimCheckBucket = createClaimCheckBucket(this, Duration.millis(kept));
    this.deadLetters = createDeadLetterQueue(this);
    this.secrets = sources.map(({ name }) => createSourceSecrets(this, name));
    this.pollFunction = createPollFunction(this, {
      config: props,
      environment: {
        TABLE_NAME: this.table.tableName,
        BUS_NAME: this.bus.eventBusName,
        CLAIM_CHECK_BUCKET: this.claimCheckBucket.bucketName,
        SECRETS: secretsVariable(this.secrets),
        NODE_OPTIONS: "--enable-source-maps",
      },
      statements: pollStatements(this),
      deadLetters: this.deadLetters,
      logDays: Math.max(...sources.map(({ retention }) => retention.logs)) / DAY,
    });
    acknowledgeObjectWildcard(this, this.claimCheckBucket);
    createSchedules(this, { sources, target: this.pollFunction, deadLetters: this.deadLetters });
  }
}
