import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import type { WebhookConfig } from "../../../lib/config/index.ts";
import { PATIENCE } from "../../../lib/webhooks/post.ts";
import type { TestAnswer, TestDelivery, TestResult } from "../../../lib/webhooks/test-delivery.ts";
import { CommandError, exitOf, UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";
import type { Target } from "../../target/target.ts";

/** The output of `trigger --webhook --json`, beside `schemaVersion`. */
export interface WebhookAnswer {
  dryRun: boolean;
  webhook: string;
  /** Without its query, which may hold a key. */
  endpoint: string;
  kind: string;
  type: string;
  /** Of no real event, and another each time: `webhook-id` of the request. */
  eventId: string;
  /** Null in a dry run. */
  delivery: TestResult | null;
}

export interface FoundWebhook {
  webhook: WebhookConfig;
  functionName: string;
}

/**
 * A webhook of a stack, and the function that delivers to it.
 *
 * @throws UsageError where there is none of that name
 */
export async function findWebhook(target: Target, name: string): Promise<FoundWebhook> {
  if (target.stack === undefined) {
    throw new UsageError("webhooks are there in a deployed stack only", {
      hint: "Give --stack NAME. On this machine `survey-poller listen --forward-to` posts events by the same code.",
    });
  }
  const { webhooks } = await target.config();
  const webhook = webhooks.find((one) => one.name === name);
  if (webhook === undefined) {
    const names = webhooks.map((one) => one.name).join(", ");
    throw new UsageError(`there is no webhook of that name in ${target.name}`, {
      hint: names === "" ? "Its configuration has no webhooks." : `Its webhooks: ${names}.`,
    });
  }
  const functionName = target.stack.outputs[`ForwardFunctionName${name.replaceAll(/[^A-Za-z0-9]/g, "")}`];
  if (functionName !== undefined) return { webhook, functionName };
  throw new CommandError("OLD_FUNCTION", `the stack has no output that names the forwarder of ${name}`, {
    hint: "Deploy the version that this command is of.",
  });
}

/**
 * Lets the deployed forwarder post an event once.
 *
 * @throws CommandError with the code, message and hint of what kept it from being sent
 */
export async function deliver(functionName: string, body: string, { signal }: Pick<Io, "signal">): Promise<TestResult> {
  const client = new LambdaClient({
    maxAttempts: 2,
    // It is not to be posted twice while the endpoint thinks.
    requestHandler: { connectionTimeout: 5_000, requestTimeout: PATIENCE + 15_000, throwOnRequestTimeout: true },
  });
  try {
    const input: TestDelivery = { testDelivery: { body } };
    const command = new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(input) });
    const answer = await askingAws("the forwarder could not be invoked", () =>
      client.send(command, { abortSignal: signal }),
    );
    const output = JSON.parse(Buffer.from(answer.Payload ?? []).toString() || "null") as unknown;
    if (answer.FunctionError !== undefined) {
      const { errorType = "" } = output as { errorType?: string };
      const hint = "Its log tells more: `aws logs tail`, with the log group of the forwarder.";
      throw new CommandError("FUNCTION_FAILED", `the forwarder failed (${errorType})`, { hint });
    }
    const result = output as TestAnswer;
    if ("delivery" in result) return result.delivery;
    const { code, message, hint } = result.error;
    throw new CommandError(code, message, { hint }, exitOf(code));
  } finally {
    client.destroy();
  }
}

const LOOKS = {
  taken: { colour: "green", note: "The endpoint has taken it." },
  retried: { colour: "yellow", note: "An event would be tried again." },
  "given-up": { colour: "red", note: "An event would be given up: to the dead-letter queue." },
} as const;

export function webhookText(answer: WebhookAnswer, { style }: Pick<Io, "style">): string[] {
  const { webhook, endpoint, type, kind, eventId, delivery } = answer;
  const what = `${type} (${kind}), event id ${eventId}`;
  if (delivery === null) return [`To webhook ${webhook} at ${endpoint}: ${what}.`];
  const { status, milliseconds, problem, outcome, firstLine } = delivery;
  const { colour, note } = LOOKS[outcome];
  const result = style(colour, status === null ? `no answer (${problem})` : `${status}`);
  return [
    `Posted ${what}, to webhook ${webhook} at ${endpoint}.`,
    `${result} in ${milliseconds} ms. ${note}`,
    ...(firstLine === null ? [] : [`It says: ${firstLine}`]),
  ];
}
