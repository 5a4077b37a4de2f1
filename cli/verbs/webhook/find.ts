import type { WebhookConfig } from "../../../lib/config/index.ts";
import { CommandError } from "../../errors.ts";
import { UsageError } from "../../flags.ts";
import type { Target } from "../../target/target.ts";

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
