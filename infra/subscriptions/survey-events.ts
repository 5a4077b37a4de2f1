import { Stack } from "aws-cdk-lib";
import { EventBus, type IEventBus, type Rule } from "aws-cdk-lib/aws-events";
import type { Grant, IGrantable } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { ConfigError } from "../../lib/config/index.ts";
import { refuseOnForeignBus } from "../bus.ts";
import { grantReadAnswers } from "../permissions.ts";
import { createSubscription, type ResponseCompletedProps, type Subscription } from "./subscribe.ts";

const DEFAULT_NAME = "survey-poller";

/** Where the events come from. Outputs of the poller's stack give both names. */
export interface SurveyEventsProps {
  /** Name or ARN of the bus: the output `BusName` or `BusArn`. Default "survey-poller". */
  busName?: string;
  /** Bucket with answers that are too large for an event: the output `ClaimCheckBucketName`. `grantReadAnswers` needs it. */
  claimCheckBucketName?: string;
  /** Key of that bucket, where the poller was given a key. Its policy must let the reader decrypt. */
  claimCheckKey?: IKey;
  /** `eventSource` of each source that is subscribed to. Default "survey-poller" alone. */
  eventSources?: readonly [string, ...string[]];
  /** Encrypts the dead-letter queues. Default: a key of SQS. */
  encryptionKey?: IKey;
}

/**
 * The events of a poller that another stack has deployed. The two stacks share names only, so that each is deployed without the other.
 *
 * @example
 * const surveys = SurveyEvents.fromBus(this, "Surveys", { busName: "survey-poller" });
 * surveys.onResponseCompleted("Detractors", {
 *   where: { data: { summary: { nps: { class: ["detractor"] }, test: [false] } } },
 *   target: new SqsQueue(queue),
 * });
 */
export class SurveyEvents extends Construct {
  readonly bus: IEventBus;
  readonly #props: SurveyEventsProps;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #subscriptionScope = new Construct(this, "Subscriptions");

  /** Refers to the bus by its name or ARN; nothing is looked up while the stack is synthesised. */
  static fromBus(scope: Construct, id: string, props: SurveyEventsProps = {}): SurveyEvents {
    return new SurveyEvents(scope, id, props);
  }

  private constructor(scope: Construct, id: string, props: SurveyEventsProps) {
    super(scope, id);
    this.#props = props;
    const bus = props.busName ?? DEFAULT_NAME;
    this.bus = bus.startsWith("arn:")
      ? EventBus.fromEventBusArn(this, "Bus", bus)
      : EventBus.fromEventBusName(this, "Bus", bus);
  }

  /**
   * Subscribes a target to completed responses, with a dead-letter queue of its own.
   *
   * @param id of the subscription, unique here
   * @returns the rule; its queue is in `subscriptions`
   * @throws ConfigError that names every field and value in `where` that no event has
   */
  onResponseCompleted(id: string, props: ResponseCompletedProps): Rule {
    refuseOnForeignBus(this, this.bus, ["onResponseCompleted"]);
    const { eventSources = [DEFAULT_NAME], encryptionKey } = this.#props;
    const subscription = createSubscription(this.#subscriptionScope, id, props, {
      bus: this.bus,
      sources: eventSources.map((eventSource) => ({ eventSource })),
      encryptionKey,
    });
    this.#subscriptions.set(id, subscription);
    return subscription.rule;
  }

  /**
   * Lets a consumer of events read the answers that `data.answersRef` points to, and nothing else of the bucket.
   *
   * @throws ConfigError where the bucket is not named
   */
  grantReadAnswers(grantee: IGrantable): Grant {
    const { claimCheckBucketName, claimCheckKey } = this.#props;
    if (claimCheckBucketName === undefined) {
      throw new ConfigError([{ path: "claimCheckBucketName", message: "is needed to read answers" }], {
        hint: "Give the output ClaimCheckBucketName of the poller's stack.",
      });
    }
    const { partition } = Stack.of(this);
    const id = "ClaimChecks";
    const bucket =
      (this.node.tryFindChild(id) as Bucket | undefined) ??
      Bucket.fromBucketAttributes(this, id, {
        bucketArn: `arn:${partition}:s3:::${claimCheckBucketName}`,
        encryptionKey: claimCheckKey,
      });
    return grantReadAnswers(bucket, grantee);
  }

  /** Everything that `onResponseCompleted` has made, by id. */
  get subscriptions(): ReadonlyMap<string, Subscription> {
    return this.#subscriptions;
  }
}
