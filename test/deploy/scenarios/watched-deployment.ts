import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { alarmsAreRaised } from "./alarms-are-raised.ts";
import { historyGoesOut, subscribed } from "./events-arrive.ts";
import { firstDeployment } from "./first-deployment.ts";
import { type Given, onStage } from "./open-stage.ts";
import { serviceIsSlow } from "./slow-service.ts";
import { output } from "./stage.ts";
import { webhookFails } from "./webhook-fails.ts";

/** A second deployment, for what a person is told of. */
export function watchedDeployment(given: Given): Promise<void> {
  return onStage(given, "alarms", async (stage) => {
    const { aws, simulator } = stage;
    const deployment = await firstDeployment(stage);
    const subscribers = await subscribed(stage, deployment);
    const { clientId, clientSecret } = simulator;
    await aws.secrets.send(
      new PutSecretValueCommand({
        SecretId: output(deployment, "CredentialsSecretName"),
        SecretString: JSON.stringify({ clientId, clientSecret }),
      }),
    );
    await historyGoesOut(stage, deployment, subscribers);
    const watch = await alarmsAreRaised(stage, deployment, subscribers);
    await webhookFails(stage, deployment, subscribers, watch);
    await serviceIsSlow(stage, deployment, subscribers, watch);
  });
}
