import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { errorCode } from "../../../lib/errors.ts";
import { isSigningSecret, SECRET_FORM } from "../../../lib/webhooks/signature.ts";
import { UsageError } from "../../flags.ts";
import type { Io } from "../../io.ts";

const FORM = `It holds ${SECRET_FORM}.`;

/** A secret that nobody has used. */
export function freshSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/**
 * Reads the secret from the variable of this name, or else from the file. Neither its name nor its value is repeated: the name may be the value.
 *
 * @throws UsageError
 */
export function readSecret(name: string, { environment }: Pick<Io, "environment">): string {
  if (/^(whsec_|v1,)/.test(name)) {
    throw new UsageError("--secret takes no secret, which would stay in the shell's history", {
      hint: "Give the name of an environment variable or of a file that holds it.",
    });
  }
  const secret = (environment[name] ?? readFile(name)).trim();
  if (isSigningSecret(secret)) return secret;
  throw new UsageError("what --secret names holds no signing secret", { hint: FORM });
}

function readFile(name: string): string {
  try {
    return readFileSync(name, "utf8");
  } catch (cause) {
    throw new UsageError(`--secret names neither an environment variable nor a file (${errorCode(cause)})`, {
      hint: FORM,
      cause,
    });
  }
}
