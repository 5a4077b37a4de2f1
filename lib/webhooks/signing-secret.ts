import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as z from "zod";
import { PollerError, type PollerErrorOptions } from "../errors.ts";
import { parseJson, readSecret, refusalOf } from "../secrets/secret-values.ts";
import { isSigningSecret, SECRET_FORM } from "./signature.ts";

/** There is nothing to sign with. Nothing of the secret's value is in it. */
export class SigningSecretError extends PollerError {
  readonly code: "SIGNING_SECRET_MISSING" | "SIGNING_SECRET_UNREADABLE";
  constructor(code: SigningSecretError["code"], message: string, options: PollerErrorOptions) {
    super(message, { ...options, retryable: true });
    this.code = code;
  }
}

export interface SigningSecrets {
  /**
   * The secrets to sign with, one or two.
   *
   * @throws SigningSecretError while there are none
   */
  current(): Promise<readonly string[]>;
  /** An endpoint has refused the signature: the value is read anew the next time. */
  refused(): void;
}

const schema = z.looseObject({ secrets: z.array(z.string().refine(isSigningSecret)).min(1).max(2) });
const FORM = `It must be the JSON {"secrets":["whsec_…"]} with one or two secrets, each ${SECRET_FORM}.`;

/** Milliseconds. */
const KEPT = 5 * 60_000;
/** Milliseconds for which a value that was just read is not read again. An endpoint that refuses everything must not cost a read a request. */
const FRESH = 10_000;

/** Reads the secrets from Secrets Manager, and keeps them for five minutes. Those who ask at the same time share one read. */
export function createSigningSecrets(
  client: SecretsManagerClient,
  secretId: string,
  now: () => number = Date.now,
): SigningSecrets {
  let kept: { secrets: readonly string[]; readAt: number; isRefused: boolean } | undefined;
  let reading: Promise<readonly string[]> | undefined;

  async function read(): Promise<readonly string[]> {
    const before = kept?.secrets;
    try {
      const secrets = await readSigningSecrets(client, secretId);
      kept = { secrets, readAt: now(), isRefused: false };
      return secrets;
    } catch (error) {
      // What has worked until now still does while Secrets Manager is in trouble. What an operator has made of the secret counts at once.
      if (before !== undefined && !(error instanceof SigningSecretError)) return before;
      throw error;
    } finally {
      reading = undefined;
    }
  }

  return {
    async current() {
      if (kept !== undefined) {
        const age = now() - kept.readAt;
        if (age < FRESH || (age < KEPT && !kept.isRefused)) return kept.secrets;
      }
      reading ??= read();
      return reading;
    },
    refused() {
      if (kept !== undefined) kept.isRefused = true;
    },
  };
}

async function readSigningSecrets(client: SecretsManagerClient, secretId: string): Promise<readonly string[]> {
  const text = await read(client, secretId);
  if (text === undefined) {
    throw new SigningSecretError("SIGNING_SECRET_MISSING", `the signing secret ${secretId} has no value yet`, {
      hint: `Create or fill it. ${FORM} docs/webhooks.md has the command.`,
    });
  }
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data.secrets;
  const message = `the signing secret ${secretId} is not of the form that is needed`;
  throw new SigningSecretError("SIGNING_SECRET_UNREADABLE", message, { hint: `Fill it anew. ${FORM}` });
}

async function read(client: SecretsManagerClient, secretId: string): Promise<string | undefined> {
  try {
    return await readSecret(client, secretId);
  } catch (cause) {
    const refusal = refusalOf(cause);
    if (refusal === undefined) throw cause;
    const message = `the signing secret ${secretId} cannot be read (${refusal.code})`;
    throw new SigningSecretError("SIGNING_SECRET_UNREADABLE", message, { cause, hint: refusal.hint });
  }
}
