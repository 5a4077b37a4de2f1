import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { GetFunctionConfigurationCommand, InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { createClients } from "../../aws/clients.ts";
import { INVOCATION } from "../../config/invocation.ts";
import { readEnvironment } from "../../run/environment.ts";
import { CommandError, InterruptedError, notNow } from "../errors.ts";
import type { Io } from "../io.ts";
import { askingAws, closing } from "./aws-failure.ts";
import { resultOf, type StackParts, type Target, targetOf } from "./target.ts";

const OUTPUTS =
  /(ForwardFunctionName\w+|ForwardDeadLetterQueueArn\w+|PollFunctionName|PollLogGroupName|DeadLetterQueueUrl|TableName|BusName|BusArn|ArchiveArn|ClaimCheckBucketName|DashboardUrl)$/;

/** Opens a deployed stack by its outputs and the environment of its function. Region and credentials are those of the AWS command line. */
export async function openStackTarget(stackName: string, io: Io): Promise<Target> {
  const lambda = new LambdaClient({
    maxAttempts: 2,
    // An invocation may take all of the function's time, and is not to be made twice.
    requestHandler: { connectionTimeout: 5_000, requestTimeout: INVOCATION + 30_000, throwOnRequestTimeout: true },
  });
  const stack = await partsOf(stackName);
  const settings = await askingAws("the function could not be looked at", () =>
    lambda.send(new GetFunctionConfigurationCommand({ FunctionName: stack.functionName })),
  );

  const invoke: StackParts["call"] = async (functionName, what, input) => {
    if (io.signal.aborted) throw new InterruptedError();
    const command = new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(input) });
    const answer = await askingAws(`${what} could not be invoked`, () =>
      lambda.send(command, { abortSignal: io.signal }),
    );
    const output = JSON.parse(Buffer.from(answer.Payload ?? []).toString() || "null") as unknown;
    if (answer.FunctionError === undefined) return output;
    throw failureOf(output, what, stackName);
  };
  const call = (input: object) => invoke(stack.functionName, POLLER, input);

  return targetOf({
    name: `stack ${stackName}`,
    flags: `--stack ${stackName}`,
    resources: readEnvironment(settings.Environment?.Variables ?? {}),
    stack: { ...stack, call: invoke },
    clients: createClients(),
    client: (service) =>
      service === "s3" && io.environment.AWS_ENDPOINT_URL_S3 !== undefined ? { forcePathStyle: true } : {},
    call,
    async readConfig() {
      return resultOf<{ config: unknown }>(await call({ operation: { kind: "describe" } })).config;
    },
    close: async () => lambda.destroy(),
  });
}

async function partsOf(stackName: string): Promise<Omit<StackParts, "call">> {
  using client = closing(new CloudFormationClient({ maxAttempts: 3 }));
  const answer = await askingAws(`the stack ${stackName} could not be looked at`, () =>
    client.send(new DescribeStacksCommand({ StackName: stackName })).catch((error: unknown) => {
      // CloudFormation has no error of its own for that.
      if (!(error instanceof Error && error.name === "ValidationError" && /does not exist/.test(error.message))) {
        throw error;
      }
      const hint = "Are the name, AWS_REGION and AWS_PROFILE right? `npx cdk deploy` makes the stack.";
      throw new CommandError("STACK_NOT_FOUND", `there is no stack ${stackName}`, { hint, cause: error });
    }),
  );
  const outputs: Record<string, string> = {};
  for (const { OutputKey = "", OutputValue = "" } of answer.Stacks?.[0]?.Outputs ?? []) {
    const name = OUTPUTS.exec(OutputKey)?.[1];
    if (name !== undefined) outputs[name] = OutputValue;
  }
  const functionName = outputs.PollFunctionName;
  if (functionName !== undefined) return { stackName, functionName, outputs };
  const hint = "Give the stack that holds the poller; its outputs name a PollFunctionName.";
  throw new CommandError("NO_POLLER", `the stack ${stackName} has no poller in it`, { hint });
}

/** How the function that polls is named for people: what it had no time for, a tick goes on with. */
const POLLER = "the function";

/** @param output of Lambda where the function has thrown */
function failureOf(output: unknown, what: string, stackName: string) {
  const { errorType = "", errorMessage = "" } = output as { errorType?: string; errorMessage?: string };
  if (what === POLLER && /timed out/i.test(errorMessage)) {
    const hint = "Its work goes on at the next tick. Try again in a minute.";
    return notNow("OUT_OF_TIME", `${what} ran out of time`, { hint });
  }
  // The function's own errors have their code as their name, and nothing personal in their message.
  const [code, message] = /^[A-Z][A-Z0-9_]+$/.test(errorType)
    ? [errorType, errorMessage]
    : ["FUNCTION_FAILED", `${what} failed (${errorType})`];
  const hint = `Its log tells more: aws logs tail, or survey-poller status --stack ${stackName}.`;
  return new CommandError(code, message, { hint });
}
