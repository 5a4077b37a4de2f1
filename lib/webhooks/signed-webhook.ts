import type { WebhookConfig } from "../config/index.ts";
import { ConfigError } from "../config/index.ts";

export type SignedWebhook = WebhookConfig & { signing: { secret: string } };

export function isSigned(webhook: WebhookConfig): webhook is SignedWebhook {
  return webhook.signing !== undefined;
}

/** @throws ConfigError when there is no webhook of this name, or its deliveries are not signed */
export function signedWebhook(webhooks: readonly WebhookConfig[], name: string): SignedWebhook {
  const found = webhooks.filter(isSigned).find((webhook) => webhook.name === name);
  if (found !== undefined) return found;
  const message = `none is called "${name}" and has signing`;
  throw new ConfigError([{ path: "webhooks", message }], { hint: "Deploy the stack again." });
}
