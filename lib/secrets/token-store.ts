import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { TokenStore } from "../survey-api/index.ts";
import { parseJson, readSecret, writeSecret } from "./secret-values.ts";

/**
 * Keeps the token in a secret over runs. `owner` says to which service and client it belongs: after either has changed,
 * the token kept is not used any more. What is not ours to read is no token: a new one replaces it.
 */
export function createTokenStore(
  client: SecretsManagerClient,
  secretId: string,
  owner: () => Promise<string>,
): TokenStore {
  return {
    async read() {
      const text = (await readSecret(client, secretId)) ?? "";
      const { token, obtainedAt, expiresAt, ...kept } = (parseJson(text) ?? {}) as Record<string, unknown>;
      if (typeof token !== "string" || token === "" || typeof kept.owner !== "string") return undefined;
      if (typeof obtainedAt !== "number" || typeof expiresAt !== "number") return undefined;
      return kept.owner === (await owner()) ? { token, obtainedAt, expiresAt } : undefined;
    },
    async write(token) {
      await writeSecret(client, secretId, JSON.stringify({ ...token, owner: await owner() }));
    },
  };
}
