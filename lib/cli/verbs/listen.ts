import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { errorCode } from "../../errors.ts";
import { isLoopback } from "../../survey-api/base-url.ts";
import { outcomeOf } from "../../webhooks/outcome.ts";
import { PATIENCE, post as postOnce } from "../../webhooks/post.ts";
import { isSigningSecret, SECRET_FORM } from "../../webhooks/signature.ts";
import { CommandError, UsageError } from "../errors.ts";
import { readEnvelope } from "../hearing/event.ts";
import { countOption, filterOption, forOption, listening } from "../hearing/listening.ts";
import type { Io } from "../io.ts";
import { targetVerb, toJson, type Verb } from "../verb.ts";
import { clock, count } from "../words.ts";

const HELP = `
Each event is posted once, as a deployed webhook with "signing" does it: signed by Standard Webhooks, where
webhook-id is the event id. That one tries again after no answer in 30 s, 401, 403, 407, 408, 409, 425, 429
and 5xx; other answers go to the dead-letter queue. A webhook with "auth" sends that too, or instead.
Examples:
  survey-poller listen --forward-to http://localhost:3000/events
  survey-poller listen --stack SurveyPoller --forward-to http://localhost:3000/events --secret WEBHOOK_SECRET`;

export const listenVerb: Verb = (act) =>
  targetVerb("listen", "posts events live to a consumer on this machine, as a deployed webhook would", HELP)
    .requiredOption("--forward-to <url>", "where each event is posted")
    .addOption(filterOption())
    .addOption(forOption())
    .addOption(countOption())
    .option("--secret <name>", "variable or file that holds the signing secret; without it one is made")
    .option("--allow-remote", "also to another machine: personal data leaves this one")
    .action((options) =>
      act(options, async (io) => {
        const url = forwardUrl(options.forwardTo, options.allowRemote === true);
        const fresh = `whsec_${randomBytes(32).toString("base64")}`;
        const secret = options.secret === undefined ? fresh : readSecret(options.secret, io);
        if (secret === fresh) io.say(`Signed with ${secret}, made for this run: --secret names one of yours.`);
        const posted = { all: 0, failed: 0 };
        await listening(options, io, async (body) => {
          const answer = await post(body, { ...io, url, secret });
          posted.all += 1;
          if (answer.outcome !== "taken") posted.failed += 1;
          io.out(options.json === true ? toJson(answer) : answerLine(answer, io));
        });
        if (posted.failed === 0) return undefined;
        const message = `the consumer did not take ${posted.failed} of ${count(posted.all, "event")}`;
        const hint =
          "Each was posted once; other subscribers are not concerned. survey-poller trigger --yes sends a test event.";
        throw new CommandError("CONSUMER_FAILED", message, { hint });
      }),
    );

/** A line of `listen --json`: how the consumer took one event. */
export type ListenAnswer = Awaited<ReturnType<typeof post>>;

/** Posts an event once, by the code with which a deployed webhook with `signing` does it. */
async function post(
  body: string,
  { url, secret, now, signal }: Pick<Io, "now" | "signal"> & { url: URL; secret: string },
) {
  const event = readEnvelope(body);
  const at = new Date(now());
  const eventId = event?.detail.meta.eventId ?? null;
  const type = event?.["detail-type"] ?? null;
  const { status, milliseconds, problem } = await postOnce(
    { id: eventId ?? "unknown", at, body },
    {
      url,
      proof: { signWith: [secret], headers: {} },
      userAgent: "survey-poller listen",
      type: type ?? "unknown",
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    },
  );
  const responseId = event?.detail.data.responseId ?? null;
  // Outcome: taken; or what a deployed webhook would do. Where no answer came the status is null, and the problem is a code that says why.
  return { at: at.toISOString(), type, eventId, responseId, status, milliseconds, outcome: outcomeOf(status), problem };
}

const FORM = `It holds ${SECRET_FORM}.`;

/** Reads the secret from the variable of this name, or else from the file. Neither its name nor its value is repeated: the name may be the value. */
function readSecret(name: string, { environment }: Pick<Io, "environment">): string {
  if (/^(whsec_|v1,)/.test(name)) {
    const hint = "Give the name of an environment variable or of a file that holds it.";
    throw new UsageError("--secret takes no secret, which would stay in the shell's history", { hint });
  }
  let secret = environment[name];
  try {
    secret ??= readFileSync(name, "utf8");
  } catch (cause) {
    const message = `--secret names neither an environment variable nor a file (${errorCode(cause)})`;
    throw new UsageError(message, { hint: FORM, cause });
  }
  if (isSigningSecret(secret.trim())) return secret.trim();
  throw new UsageError("what --secret names holds no signing secret", { hint: FORM });
}

/** Where events may be posted to. The address is not repeated: its query may hold a key. */
function forwardUrl(text: string, allowRemote: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const hint = "For example http://localhost:3000/events.";
    throw new UsageError("--forward-to is not an http:// or https:// address", { hint });
  }
  if (url.username !== "" || url.password !== "") {
    const hint = "Take them out: the signature says who posts.";
    throw new UsageError("--forward-to has credentials in it", { hint });
  }
  if (allowRemote || isLoopback(url.hostname)) return url;
  const hint = "Events hold personal data, which would leave this machine. Add --allow-remote if that is meant.";
  throw new UsageError("--forward-to is not an address of this machine", { hint });
}

const NOTES = {
  taken: "",
  retried: "  a deployed webhook would try again",
  "given-up": "  a deployed webhook would give up: to the dead-letter queue",
} as const;

/** "14:01:10 response.completed 43210 → 200 in 12 ms". */
function answerLine(answer: ListenAnswer, io: Pick<Io, "style">): string {
  const { at, type, responseId, outcome } = answer;
  const what = [clock(Date.parse(at)), type ?? "unknown", responseId ?? ""].join(" ").trimEnd();
  return `${what} → ${answerText(answer, io)}${NOTES[outcome]}`;
}

const COLOURS = { taken: "green", retried: "yellow", "given-up": "red" } as const;

/** The answer of an endpoint: "200 in 12 ms". */
export function answerText(
  { status, milliseconds, problem, outcome }: Pick<ListenAnswer, "status" | "milliseconds" | "problem" | "outcome">,
  { style }: Pick<Io, "style">,
): string {
  return `${style(COLOURS[outcome], status === null ? `no answer (${problem})` : `${status}`)} in ${milliseconds} ms`;
}
