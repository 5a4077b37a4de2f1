import type { Config } from "./config.ts";

/** One notice for each field that asks for something that there is in AWS only. */
export function actingDeployedOnly(config: Config): string[] {
  return config.stated.includes("webhooks")
    ? ["webhooks is set but acts only when deployed: on this machine no endpoint is called."]
    : [];
}
