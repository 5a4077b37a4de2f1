import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { confirm, isCancel } from "@clack/prompts";
import * as z from "zod";
import { PollerError } from "../errors.ts";
import { parseJson } from "../secrets/secret-values.ts";
import type { Credentials } from "../survey-api/index.ts";
import { UsageError } from "./errors.ts";
import type { Io } from "./io.ts";

/**
 * Credentials of a source in the environment: `SURVEY_CLIENT_ID_EU_2` of source `eu-2` goes before `SURVEY_CLIENT_ID`. Empty counts as
 * unset.
 */
export function credentialVariables(
  source: string | undefined,
  environment: Record<string, string | undefined>,
): Partial<Credentials> {
  const suffix = source?.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
  const read = (name: string): string | undefined =>
    (suffix === undefined ? undefined : environment[`${name}_${suffix}`]) || environment[name] || undefined;
  const [clientId, clientSecret] = [read("SURVEY_CLIENT_ID"), read("SURVEY_CLIENT_SECRET")];
  return { ...(clientId === undefined ? {} : { clientId }), ...(clientSecret === undefined ? {} : { clientSecret }) };
}

class CancelledError extends PollerError {
  readonly code = "CANCELLED";
}

/** Asks one question after the other; of what is typed nothing is shown, not even how long it is. */
export async function askHidden(
  questions: readonly string[],
  { input, talk }: Pick<Io, "input" | "talk">,
): Promise<string[]> {
  // What the editor of the line would show goes nowhere; it reads the terminal in raw mode, in which nothing else shows it.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  lines.on("SIGINT", () => lines.close());
  const answers: string[] = [];
  try {
    talk.write(questions[0] ?? "");
    // As they come: two lines that are pasted together are two answers.
    for await (const line of lines) {
      talk.write("\n");
      if (answers.push(line) === questions.length) return answers;
      talk.write(questions[answers.length] ?? "");
    }
  } finally {
    lines.close();
  }
  talk.write("\n");
  throw new CancelledError("cancelled", { hint: "Nothing was written." });
}

/** Blanks at their ends come from copying, and belong to no credentials. */
function checked(given: Credentials): Credentials {
  const usable = (name: string, text: string): string => {
    const value = text.trim();
    const wrong = value === "" ? "is empty" : /\p{Cc}/u.test(value) ? "has control characters in it" : undefined;
    if (wrong === undefined) return value;
    const hint = "Nothing was written. Copy it anew from the survey service.";
    throw new UsageError(`the ${name} ${wrong}`, { hint });
  };
  return { clientId: usable("client id", given.clientId), clientSecret: usable("client secret", given.clientSecret) };
}

interface Given {
  credentials: Credentials;
  from: "the environment" | "the terminal" | "standard input";
}

const FORMS =
  'Standard input takes {"clientId":"…","clientSecret":"…"}, or the client id and the client secret as two lines.';

/** @throws UsageError when there are none, or not of a usable form; nothing of them is repeated */
export async function givenCredentials(
  { source, secretId }: { source: string | undefined; secretId: string },
  io: Pick<Io, "environment" | "input" | "talk">,
): Promise<Given> {
  const { environment, input, talk } = io;
  const { clientId, clientSecret } = credentialVariables(source, environment);
  // First: where both are set, standard input may be one that never ends.
  if (clientId !== undefined && clientSecret !== undefined) {
    return { credentials: checked({ clientId, clientSecret }), from: "the environment" };
  }
  if (clientId !== undefined || clientSecret !== undefined) {
    throw new UsageError(`SURVEY_CLIENT_${clientId === undefined ? "ID" : "SECRET"} is missing in the environment`, {
      hint: "Set both it and the other one, or neither to be asked for them.",
    });
  }
  if (input.isTTY === true) {
    talk.write(`Credentials for ${secretId}; what you type is not shown.\n`);
    const [id = "", secret = ""] = await askHidden(["client id: ", "client secret: "], io);
    return { credentials: checked({ clientId: id, clientSecret: secret }), from: "the terminal" };
  }
  return { credentials: checked(parseInput(await text(input))), from: "standard input" };
}

const inputSchema = z.looseObject({ clientId: z.string(), clientSecret: z.string() });

function parseInput(input: string): Credentials {
  const given = input.trim();
  if (given === "") {
    const hint = `${FORMS} In a terminal they are asked for.`;
    throw new UsageError("no credentials were given", { hint });
  }
  if (given.startsWith("{")) {
    const parsed = inputSchema.safeParse(parseJson(given));
    if (parsed.success) return parsed.data;
    throw new UsageError("standard input is not the JSON that is needed", { hint: FORMS });
  }
  const [clientId, clientSecret, ...more] = given.split(/\s*\n\s*/);
  if (clientId !== undefined && clientSecret !== undefined && more.length === 0) return { clientId, clientSecret };
  throw new UsageError("standard input has neither one nor the other form", { hint: FORMS });
}

export const promptsOn = ({ input, talk }: Pick<Io, "input" | "talk">) => ({
  input: input as NodeJS.ReadStream,
  output: talk as NodeJS.WriteStream,
});

export function answered<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (isCancel(answer)) throw new CancelledError("cancelled", { hint: "Nothing was written." });
  return answer as Exclude<Answer, symbol>;
}

export async function isConfirmed(message: string, io: Pick<Io, "input" | "talk">): Promise<boolean> {
  return answered(await confirm({ ...promptsOn(io), message }));
}
