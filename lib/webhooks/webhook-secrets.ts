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

/** The secrets that a webhook names, each read from Secrets Manager when it is needed. */
export class WebhookSecrets {
  readonly #signing: KeptSecret<readonly string[]> | undefined;
  readonly #auth: KeptSecret<Proof["headers"]> | undefined;

  constructor(
    client: SecretsManagerClient,
    { signing, auth }: Pick<WebhookConfig, "signing" | "auth">,
    now: () => number = Date.now,
  ) {
    const kept = <T>(what: What, id: string, form: Form<T>) => new KeptSecret(() => read(client, what, id, form), now);
    if (signing !== undefined) this.#signing = kept("signing", signing.secret, SIGNING);
    if (auth !== undefined) this.#auth = kept("auth", auth.secret, formOf(auth));
  }

  /** @throws WebhookSecretError while one of them is missing or cannot be read */
  async current(): Promise<Proof> {
    // At the same time: an invocation has no time for one after the other.
    const [signWith = [], headers = {}] = await Promise.all([this.#signing?.current(), this.#auth?.current()]);
    return { signWith, headers };
  }

  /** An endpoint has refused the caller: the values are read anew the next time. */
  refused(): void {
    this.#signing?.refused();
    this.#auth?.refused();
  }
}

/** A value that is kept for five minutes. Those who ask at the same time share one read. */
class KeptSecret<T> {
  readonly #read: () => Promise<T>;
  readonly #now: () => number;
  #kept: { value: T; readAt: number; isRefused: boolean } | undefined;
  #reading: Promise<T> | undefined;

  constructor(read: () => Promise<T>, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  current(): Promise<T> {
    if (this.#kept !== undefined) {
      const age = this.#now() - this.#kept.readAt;
      if (age < FRESH || (age < KEPT && !this.#kept.isRefused)) return Promise.resolve(this.#kept.value);
    }
    this.#reading ??= this.#readAnew();
    return this.#reading;
  }

  refused(): void {
    if (this.#kept !== undefined) this.#kept.isRefused = true;
  }

  async #readAnew(): Promise<T> {
    try {
      const value = await this.#read();
      this.#kept = { value, readAt: this.#now(), isRefused: false };
      return value;
    } catch (error) {
      // What has worked until now still does while Secrets Manager is in trouble. What an operator has made of the secret counts at once.
      if (this.#kept !== undefined && !(error instanceof WebhookSecretError)) return this.#kept.value;
      throw error;
    } finally {
      this.#reading = undefined;
    }
  }
}

/** The JSON that a secret must be. */
interface Form<T> {
  schema: z.ZodType<T>;
  /** For a person. */
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
  switch (auth.type) {
    case "header":
      return {
        schema: z.looseObject({ value: inHeader }).transform(({ value }) => ({ [auth.header]: value })),
        hint: 'It must be the JSON {"value":"…"}, in printable ASCII.',
      };
    case "bearer":
      return {
        schema: z.looseObject({ token: inHeader }).transform(({ token }) => ({ authorization: `Bearer ${token}` })),
        hint: 'It must be the JSON {"token":"…"}, in printable ASCII.',
      };
    case "basic":
      return {
        schema: z
          .looseObject({ username: z.string().regex(/^[^:]*$/), password: z.string() })
          .transform(({ username, password }) => ({
            authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
          })),
        hint: 'It must be the JSON {"username":"…","password":"…"}, without ":" in the user name.',
      };
  }
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
