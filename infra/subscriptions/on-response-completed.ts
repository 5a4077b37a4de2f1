import type { Duration } from "aws-cdk-lib";
import type { IRuleTarget } from "aws-cdk-lib/aws-events";
import { Construct } from "constructs";
import { ConfigError } from "../../lib/config/index.ts";
import { pathText } from "../../lib/config/shape.ts";
import { DAY, MINUTE } from "../../lib/config/units.ts";
import type { EventType } from "../../lib/events/index.ts";
import { checkWhere } from "./check-where.ts";
import { type Subscription, type SubscriptionProps, subscribe } from "./subscribe.ts";
import type { AnyWhere } from "./where.ts";

/** A subscription, as `onResponseCompleted` takes it. */
export interface ResponseCompletedProps {
  /** Types of events; default `response.completed` alone. */
  types?: readonly [EventType, ...EventType[]];
  /** Which of them; default all. */
  where?: AnyWhere;
  /** Any target of aws-cdk-lib/aws-events-targets. A dead-letter queue or retries stated on it hold; else it gets those of here. */
  target: IRuleTarget;
  /** How long and how often a delivery is tried: 1 minute to 24 hours, 0 to 185 times. Default 24 hours and 185 times, which is the most there is. */
  retry?: { maxAge?: Duration; attempts?: number };
  /** Shown beside the rule. */
  description?: string;
}

/** @throws ConfigError that names everything `where` or `retry` have wrong */
export function createSubscription(
  scope: Construct,
  id: string,
  { types, where, target, retry, description }: ResponseCompletedProps,
  poller: Pick<SubscriptionProps, "bus" | "sources" | "encryptionKey">,
): Subscription {
  const maxAge = retry?.maxAge?.toMilliseconds() ?? DAY;
  const attempts = retry?.attempts ?? 185;
  const problems = (where === undefined ? [] : checkWhere(where, types)).map(({ path, message }) => ({
    path: pathText(["where", ...path]),
    message,
  }));
  if (maxAge < MINUTE || maxAge > DAY) problems.push({ path: "retry.maxAge", message: "must be 1 minute to 24 hours" });
  if (!Number.isInteger(attempts) || attempts < 0 || attempts > 185) {
    problems.push({ path: "retry.attempts", message: "must be a whole number from 0 to 185" });
  }
  if (problems.length > 0) {
    throw new ConfigError(
      problems.map(({ path, message }) => ({ path: `${id}: ${path}`, message })),
      { hint: "docs/events.md shows patterns; for a field that is not in the contract make a Rule on the bus." },
    );
  }
  return subscribe(new Construct(scope, id), {
    ...poller,
    ...(types === undefined ? {} : { types }),
    where,
    target,
    retry: { maxAge, attempts },
    description: description ?? "Completed survey responses",
  });
}
