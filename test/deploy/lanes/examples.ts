import { join } from "node:path";
import pLimit from "p-limit";
import { checkOutExamples } from "../support/examples.ts";
import { StepFailedError } from "../support/report.ts";
import { deploy, fillCredentials, type Given, onStage } from "../support/stage.ts";
import { untilArrived } from "../support/ticks.ts";
import { commentFollowUp } from "./examples/comment-follow-up.ts";
import { detractorsToChat } from "./examples/detractors-to-chat.ts";
import { forwardToAnotherAccount, RECEIVER } from "./examples/forward-to-another-account.ts";
import { idempotentLambda } from "./examples/idempotent-lambda.ts";
import { responsesToWarehouse } from "./examples/responses-to-warehouse.ts";
import { sqsWorkerPython } from "./examples/sqs-worker-python.ts";

/** By the names of their folders. */
const EXAMPLES = {
  "detractors-to-chat": detractorsToChat,
  "responses-to-warehouse": responsesToWarehouse,
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
    const { report, simulator, folder } = stage;
    const copies = join(folder, "examples");
    const checkingOut = checkOutExamples(copies);
    checkingOut.catch(() => {});
    const on = await deploy(stage, { webhooks: [], subscribers: { accounts: [RECEIVER] } });
    await fillCredentials(on);
    await report.step("copies of the examples compile against the package", () => checkingOut);
    await report.step("the history goes out, before anybody else listens", () => untilArrived(on));
    const limit = pLimit(AT_A_TIME);
    const ended = await Promise.allSettled(
      Object.entries(EXAMPLES).map(([name, play], index) => {
        const surveyId = FIRST_SURVEY + index;
        simulator.addSurvey({ surveyId });
        return limit(() => play({ ...on, report: report.lane(name), name, surveyId, examples: copies }));
      }),
    );
    const reasons = ended.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    // A step that failed has been printed: what has not comes first.
    const [first] = [...reasons.filter((one) => !(one instanceof StepFailedError)), ...reasons];
    if (first !== undefined) throw first;
  });
}
