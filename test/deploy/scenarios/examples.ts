import { join } from "node:path";
import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import pLimit from "p-limit";
import { checkOutExamples } from "../support/examples-checkout.ts";
import { StepFailedError } from "../support/report.ts";
import { subscribe } from "../support/subscription.ts";
import { until } from "../support/until.ts";
import { commentFollowUp } from "./examples/comment-follow-up.ts";
import { detractorsToChat } from "./examples/detractors-to-chat.ts";
import { forwardToAnotherAccount, RECEIVER } from "./examples/forward-to-another-account.ts";
import { idempotentLambda } from "./examples/idempotent-lambda.ts";
import { responsesToS3 } from "./examples/responses-to-s3.ts";
import { sqsWorkerPython } from "./examples/sqs-worker-python.ts";
import type { ExampleStage } from "./examples/stage.ts";
import { writeConfiguration } from "./first-deployment.ts";
import { type Given, onStage } from "./open-stage.ts";
import { output } from "./stage.ts";

/** By the name of the folder in `examples/`. */
const SCENARIOS: Readonly<Record<string, (on: ExampleStage) => Promise<void>>> = {
  "detractors-to-chat": detractorsToChat,
  "responses-to-s3": responsesToS3,
  "forward-to-another-account": forwardToAnotherAccount,
  "sqs-worker-python": sqsWorkerPython,
  "idempotent-lambda": idempotentLambda,
  "comment-follow-up": commentFollowUp,
};

/** A small machine bears no more deployments at a time. */
const AT_A_TIME = 2;
const FIRST_SURVEY = 201;

/** A poller with its history told, and each example beside it, deployed and removed as its README says. */
export function examples(given: Given): Promise<void> {
  return onStage(given, "examples", async (stage) => {
    const { report, cdk, aws, simulator, folder } = stage;
    report.part("Examples");
    const checkingOut = checkOutExamples(join(folder, "examples"));
    checkingOut.catch(() => {});
    const configFile = writeConfiguration(stage, {}, { webhooks: [], subscribers: { accounts: [RECEIVER] } });
    const config = ["-c", `config=${configFile}`];
    const deployment = await report.step("the poller is deployed, with credentials", async () => {
      await cdk.run("bootstrap", ...config);
      const made = { configFile, outputs: await cdk.deploy(...config) };
      const { clientId, clientSecret } = simulator;
      const SecretString = JSON.stringify({ clientId, clientSecret });
      const SecretId = output(made, "CredentialsSecretName");
      await aws.secrets.send(new PutSecretValueCommand({ SecretId, SecretString }));
      return made;
    });
    const checkout = await report.step("copies of the examples compile against the package", async () => {
      const found = await checkingOut;
      await found.compile();
      return found;
    });
    const completed = { "detail-type": ["response.completed"] };
    const everything = await subscribe(aws, output(deployment, "BusName"), "everything", completed);
    await report.step("its history goes out, before anybody else listens", async () => {
      const history = simulator.truth().length;
      await until("history is missing", async () => {
        await aws.invoke(output(deployment, "PollFunctionName"));
        await everything.drain();
        return everything.events.length >= history;
      });
    });
    const limit = pLimit(AT_A_TIME);
    const ended = await Promise.allSettled(
      Object.entries(SCENARIOS).map(([, play], index) => {
        const surveyId = FIRST_SURVEY + index;
        simulator.addSurvey({ surveyId });
        return limit(() => play({ report, stage, deployment, surveyId, everything, checkout }));
      }),
    );
    const reasons = ended.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    throwFirst(reasons);
  });
}

/** A step that failed has been printed: what has not comes first. */
function throwFirst(reasons: readonly unknown[]): void {
  const [first] = [...reasons.filter((one) => !(one instanceof StepFailedError)), ...reasons];
  if (first !== undefined) throw first;
}
