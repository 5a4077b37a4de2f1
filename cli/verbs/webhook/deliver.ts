import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { PATIENCE } from "../../../lib/webhooks/post.ts";
import type { TestAnswer, TestDelivery, TestResult } from "../../../lib/webhooks/test-delivery.ts";
import { CommandError, exitOf } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";

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
    if (answer.FunctionError !== undefined) throw failureOf(output as { errorType?: string });
    const result = output as TestAnswer;
    if ("delivery" in result) return result.delivery;
    const { code, message, hint } = result.error;
    throw new CommandError(code, message, { hint }, exitOf(code));
  } finally {
    client.destroy();
  }
}

function failureOf({ errorType = "" }: { errorType?: string }): CommandError {
  return new CommandError("FUNCTION_FAILED", `the forwarder failed (${errorType})`, {
    hint: "Its log tells more: `aws logs tail`, with the log group of the forwarder.",
  });
}
