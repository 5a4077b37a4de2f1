import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import * as z from "zod";
import type { WebhookConfig } from "../config/index.ts";
import { PollerError, type PollerErrorOptions } from "../errors.ts";
import { parseJson, readSecret, refusalOf } from "../secrets/secret-values.ts";
import { isSigningSecret, SECRET_FORM } from "./signature.ts";

/** Codes of what keeps a secret from being read. */
const CODES = {
  signing: { missing: "SIGNING_SECRET_MISSING", unreadable: "SIGNING_SECRET_UNREADABLE" },
  auth: { missing: "AUTH_SECRET_MISSING", unreadable: "AUTH_SECRET_UNREADABLE" },
} as const;

type What = keyof typeof CODES;

/** There is nothing to sign with, or no credentials to send. Nothing of the secret's value is in it. */
export class WebhookSecretError extends PollerError {
  readonly code: (typeof CODES)[What]["missing" | "unreadable"];
  constructor(code: WebhookSecretError["code"], message: string, options: PollerErrorOptions) {
    super(message, { ...options, retryable: true });
    this.code = code;
  }
}

/** By what an endpoint knows the caller. */
export interface Proof {
  /** The secrets to sign with: one or two, or none where the webhook does not sign. */
  signWith: readonly string[];
  /** The header that `auth` asks for, or none. */
  headers: Readonly<Record<string, string>>;
}

/** Milliseconds. */
const KEPT = 5 * 60_000;
/** Milliseconds for which a value that was just read is not read again. An endpoint that refuses everything must not cost a read a request. */
const FRESH = 10_000;

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

/** The secrets that a webhook names, each read from Secrets Manager when it is needed. */
export function createWebhookSecrets(
  client: SecretsManagerClient,
  { signing, auth }: Pick<WebhookConfig, "signing" | "auth">,
  now: () => number = Date.now,
) {
  const kept = <T>(what: What, id: string, form: Form<T>) => keptSecret(() => read(client, what, id, form), now);
  const secrets = signing && kept("signing", signing.secret, SIGNING);
  const header = auth && kept("auth", auth.secret, formOf(auth));
  return {
    /** Rejects with a `WebhookSecretError` while one of them is missing or cannot be read. */
    async current(): Promise<Proof> {
      // At the same time: an invocation has no time for one after the other.
      const [signWith = [], headers = {}] = await Promise.all([secrets?.current(), header?.current()]);
      return { signWith, headers };
    },
    /** An endpoint has refused the caller: the values are read anew the next time. */
    refused(): void {
      secrets?.refused();
      header?.refused();
    },
  };
}

/** A value that is kept for five minutes. Those who ask at the same time share one read. */
function keptSecret<T>(readSecret: () => Promise<T>, now: () => number) {
  let kept: { value: T; readAt: number; isRefused: boolean } | undefined;
  let reading: Promise<T> | undefined;
  async function readAnew(): Promise<T> {
    try {
      const value = await readSecret();
      kept = { value, readAt: now(), isRefused: false };
      return value;
    } catch (error) {
      // What has worked until now still does while Secrets Manager is in trouble. What an operator has made of the secret counts at once.
      if (kept !== undefined && !(error instanceof WebhookSecretError)) return kept.value;
      throw error;
    } finally {
      reading = undefined;
    }
  }
  return {
    async current(): Promise<T> {
      const age = kept === undefined ? Number.POSITIVE_INFINITY : now() - kept.readAt;
      if (kept !== undefined && (age < FRESH || (age < KEPT && !kept.isRefused))) return kept.value;
      reading ??= readAnew();
      return reading;
    },
    refused(): void {
      if (kept !== undefined) kept.isRefused = true;
    },
  };
}

interface Form<T> {
  schema: z.ZodType<T>;
  hint: string;
}

const SIGNING: Form<readonly string[]> = {
  schema: z
    .looseObject({ secrets: z.array(z.string().refine(isSigningSecret)).min(1).max(2) })
    .transform(({ secrets }) => secrets),
  hint: `It must be the JSON {"secrets":["whsec_…"]} with one or two secrets, each ${SECRET_FORM}.`,
};

/** Characters that a header can carry. */
const inHeader = z.string().regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/);

function formOf(auth: NonNullable<WebhookConfig["auth"]>): Form<Proof["headers"]> {
  if (auth.type === "basic") {
    const inBase64 = (text: string): string => Buffer.from(text).toString("base64");
    return {
      schema: z
        .looseObject({ username: z.string().regex(/^[^:]*$/), password: z.string() })
        .transform(({ username, password }) => ({ authorization: `Basic ${inBase64(`${username}:${password}`)}` })),
      hint: 'It must be the JSON {"username":"…","password":"…"}, without ":" in the user name.',
    };
  }
  const field = auth.type === "header" ? "value" : "token";
  return {
    schema: z
      .looseObject({ [field]: inHeader })
      .transform(({ [field]: value = "" }) =>
        auth.type === "header" ? { [auth.header]: value } : { authorization: `Bearer ${value}` },
      ) as z.ZodType<Proof["headers"]>,
    hint: `It must be the JSON {"${field}":"…"}, in printable ASCII.`,
  };
}

async function read<T>(client: SecretsManagerClient, what: What, id: string, { schema, hint }: Form<T>): Promise<T> {
  const name = `the ${what} secret ${id}`;
  const { missing, unreadable } = CODES[what];
  const text = await readSecret(client, id).catch((cause: unknown) => {
    const refusal = refusalOf(cause);
    if (refusal === undefined) throw cause;
    const message = `${name} cannot be read (${refusal.code})`;
    throw new WebhookSecretError(unreadable, message, { cause, hint: refusal.hint });
  });
  if (text === undefined) {
    throw new WebhookSecretError(missing, `${name} has no value yet`, {
      hint: `Create or fill it. ${hint} docs/webhooks.md has the command.`,
    });
  }
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const message = `${name} is not of the form that is needed`;
  throw new WebhookSecretError(unreadable, message, { hint: `Fill it anew. ${hint}` });
}
