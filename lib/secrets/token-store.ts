import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { TokenStore } from "../survey-api/index.ts";
import { parseJson, readSecret, writeSecret } from "./secret-values.ts";

type Stored = NonNullable<Awaited<ReturnType<TokenStore["read"]>>> & { owner: string };

/** A token as it is kept; undefined for what is not ours to read: a new token replaces it. */
function readStored(text: string): Stored | undefined {
  const { token, obtainedAt, expiresAt, owner } = (parseJson(text) ?? {}) as Partial<Record<keyof Stored, unknown>>;
  if (typeof token !== "string" || token === "" || typeof owner !== "string") return undefined;
  return typeof obtainedAt === "number" && typeof expiresAt === "number"
    ? { token, obtainedAt, expiresAt, owner }
    : undefined;
}

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
      const stored = readStored(text);
      if (stored === undefined || stored.owner !== (await owner())) return undefined;
      const { token, obtainedAt, expiresAt } = stored;
      return { token, obtainedAt, expiresAt };
    },
    async write(token) {
      await writeSecret(client, secretId, JSON.stringify({ ...token, owner: await owner() }));
    },
  };
}
