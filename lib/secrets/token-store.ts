import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as z from "zod";
import type { TokenStore } from "../survey-api/index.ts";
import { readSecret, writeSecret } from "./secret-values.ts";

const storedSchema = z.looseObject({
  token: z.string().min(1),
  obtainedAt: z.number(),
  expiresAt: z.number(),
  owner: z.string(),
});

/**
 * Keeps the token in a secret over runs. `owner` says to which service and client it belongs: after either has changed,
 * the token kept is not used any more.
 */
export function createTokenStore(
  client: SecretsManagerClient,
  secretId: string,
  owner: () => Promise<string>,
): TokenStore {
  return {
    async read() {
      const text = await readSecret(client, secretId);
      if (text === undefined) return undefined;
      try {
        const stored = storedSchema.parse(JSON.parse(text));
        const { token, obtainedAt, expiresAt } = stored;
        return stored.owner === (await owner()) ? { token, obtainedAt, expiresAt } : undefined;
      } catch (error) {
        // Not ours to read: a new token replaces it.
        if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
        throw error;
      }
    },
    async write(token) {
      await writeSecret(client, secretId, JSON.stringify({ ...token, owner: await owner() }));
    },
  };
}
