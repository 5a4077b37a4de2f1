import { SecretValue, Stack } from "aws-cdk-lib";
import { ApiDestination, Authorization, Connection, HttpMethod, type IEventBus } from "aws-cdk-lib/aws-events";
import { ApiDestination as ApiDestinationTarget } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import type { SourceConfig, WebhookConfig } from "../../lib/config/index.ts";
import { DETAIL_TYPE } from "../../lib/events/index.ts";
import { acknowledgeInlinePolicy } from "../acknowledge.ts";
import { type Subscription, subscribe } from "./subscribe.ts";

export interface WebhookProps {
  bus: IEventBus;
  sources: readonly SourceConfig[];
  encryptionKey?: IKey | undefined;
}

/** A plain HTTPS endpoint that gets each matching event by POST, the whole envelope as JSON. */
export function createWebhook(scope: Construct, webhook: WebhookConfig, props: WebhookProps): Subscription {
  const inner = new Construct(scope, webhook.name);
  const connection = new Connection(inner, "Connection", {
    description: `How webhook ${webhook.name} knows the survey poller`,
    authorization: authorization(webhook.auth),
  });
  const destination = new ApiDestination(inner, "Destination", {
    description: `Webhook ${webhook.name} for completed survey responses`,
    connection,
    endpoint: webhook.url,
    httpMethod: HttpMethod.POST,
    rateLimitPerSecond: webhook.ratePerSecond,
  });
  const role = new Role(inner, "Role", {
    // Without the condition a rule in somebody else's account could be given this role.
    assumedBy: new ServicePrincipal("events.amazonaws.com", {
      conditions: { StringEquals: { "aws:SourceAccount": Stack.of(inner).account } },
    }),
    description: `What the rule of webhook ${webhook.name} may do`,
  });
  role.addToPolicy(
    new PolicyStatement({
      sid: "CallEndpoint",
      actions: ["events:InvokeApiDestination"],
      resources: [destination.apiDestinationArn],
    }),
  );
  acknowledgeInlinePolicy(role);
  const subscription = subscribe(inner, {
    ...props,
    description: `Completed survey responses to webhook ${webhook.name}`,
    types: webhook.types,
    where: webhook.where,
    // The statement above is all that it needs, so the library may not write a second one.
    target: new ApiDestinationTarget(destination, { eventRole: role.withoutPolicyUpdates() }),
    retry: webhook.retry,
  });
  // Without its policy the first events after a deployment would be refused, and with no retry be lost to the dead-letter queue.
  subscription.rule.node.addDependency(role);
  return subscription;
}

/**
 * Values are references that CloudFormation resolves as it deploys: the template holds the secret's name alone. From then on they lie in a secret that
 * EventBridge keeps for the connection.
 */
function authorization(auth: WebhookConfig["auth"]): Authorization {
  // A connection must have some authorization; an endpoint that asks for none is told what calls it.
  if (auth === undefined) return Authorization.apiKey("x-survey-poller", SecretValue.unsafePlainText(DETAIL_TYPE));
  const value = (field: string) => SecretValue.secretsManager(auth.secret, { jsonField: field });
  switch (auth.type) {
    case "header":
      return Authorization.apiKey(auth.header, value("value"));
    case "bearer":
      return Authorization.apiKey(
        "Authorization",
        SecretValue.unsafePlainText(`Bearer ${value("token").unsafeUnwrap()}`),
      );
    case "basic":
      return Authorization.basic(value("username").unsafeUnwrap(), value("password"));
  }
}
