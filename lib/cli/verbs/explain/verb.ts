import type { FilteredLogEvent } from "@aws-sdk/client-cloudwatch-logs";
import { isObject } from "../../../json.ts";
import { readLogLines } from "../../../local/runner/log-file.ts";
import { type Looked, MOST_ASKED } from "../../../operator/look.ts";
import type { LedgerEntry } from "../../../polling/index.ts";
import { parseJson } from "../../../secrets/secret-values.ts";
import { readAccount } from "../../../state/account.ts";
import { readMark } from "../../../state/leases.ts";
import { CommandError, EXIT, UsageError, unlessFailing } from "../../errors.ts";
import type { Io, Style } from "../../io.ts";
import { askingAws, closing } from "../../target/aws-failure.ts";
import { type Flags, openTarget } from "../../target/open-target.ts";
import {
  findResponse,
  fromTable,
  ledgersOf,
  listedIdsOf,
  refusePaused,
  type SurveyOf,
  theOne,
} from "../../target/surveys.ts";
import { oneSource, sourcesOf, type Target } from "../../target/target.ts";
import { surveyId, targetVerb, type Verb } from "../../verb.ts";
import { columns, count, nextCommand, surveyName } from "../../words.ts";
import { type EventLogLine, type ExplainAnswer, explain, type Facts, instant } from "./story.ts";

const EXITS = { settled: EXIT.done, coming: EXIT.notNow, person: EXIT.unaccounted, unknown: EXIT.failed };

const HELP = `
Exit codes: 0 emitted, deleted, forgotten or before the start · 3 it goes on by itself (open, waiting, held)
            5 it needs somebody (quarantined, refused, unaccounted) · 1 not known at all

Examples:
  survey-poller explain 45858 --stack SurveyPoller
  survey-poller explain 45858 --survey 101 --ask
  survey-poller explain --crk customer-4711`;

export const explainVerb: Verb = (act) =>
  targetVerb("explain", "the story of one response, and what will happen next", HELP)
    .argument("[response]", "its id; or record-… of a record that has none")
    .option("--crk <code>", "find it by a respondent's key: a request a survey, 100 at most")
    .option("--survey <id>", "where the response's id alone is ambiguous", surveyId)
    .option("--source <name>", "only this source")
    .option("--ask", "ask the service for it as well, by its id: a request a survey, 100 at most")
    .action((response, { crk, survey, source, ask = false, ...options }) =>
      act(options, async (io) => {
        const by = whichOf(response, crk);
        await using target = await openTarget(options, io);
        const story = await readStory(target, { by, survey, source, ask }, io);
        return { data: story, text: explainText(story, io), exit: EXITS[story.outlook] };
      }),
    );

function whichOf(response: string | undefined, crk: string | undefined): Asked["by"] {
  const hint = "Give the id of a response, or --crk CODE.";
  if (response !== undefined && crk !== undefined) throw new UsageError("both an id and --crk are given", { hint });
  if (crk !== undefined) return { crk };
  if (response === undefined) throw new UsageError("it is not said which response is meant", { hint });
  if (/^record-[\w+/=-]+$/.test(response)) return { id: response as LedgerEntry["id"] };
  const id = Number(response);
  if (/^\d+$/.test(response) && Number.isSafeInteger(id)) return { id };
  throw new UsageError("the response is not an id: a whole number", { hint });
}

const LOOKS: Record<ExplainAnswer["outlook"], readonly [string, Style]> = {
  settled: ["●", "green"],
  coming: ["◐", "blue"],
  unknown: ["▲", "yellow"],
  person: ["■", "red"],
};

function explainText(answer: ExplainAnswer, { style }: Pick<Io, "style">): string[] {
  const { outlook, sentence, steps, next, log, responseId, surveyId, name, source } = answer;
  const [glyph, colour] = LOOKS[outlook];
  const where = surveyId === null ? "" : ` of ${surveyName({ surveyId, name })}`;
  const rows = steps.map(({ at, what, detail }) => [at === null ? "" : instant(at, true), what, detail]);
  const when = next.at === null ? "" : ` At ${instant(next.at)} or soon after.`;
  return [
    `${style(colour, glyph)} ${sentence}`,
    `Response ${responseId}${where}, source ${source}.`,
    ...(rows.length === 0 ? [] : ["", ...columns(rows), ""]),
    ...(log.note === null ? [] : [log.note]),
    `Next: ${next.what}${when}`,
    ...(next.command === null ? [] : [`  ${next.command}`]),
  ];
}

export interface Asked extends Pick<Flags, "source" | "survey"> {
  by: { id: LedgerEntry["id"] } | { crk: string };
  ask: boolean;
}

type LookedIn = SurveyOf & { looked: Looked };

/** Finds the response, reads all that is known of it, and tells its story. */
export async function readStory(
  target: Target,
  { by, ask, ...flags }: Asked,
  io: Pick<Io, "now" | "say">,
): Promise<ExplainAnswer> {
  const { source } = flags;
  const all = await ledgersOf(target, flags);
  let named: LookedIn | undefined;
  if ("crk" in by) {
    const { found, asked } = await unlessFailing(() => askService(target, all, by));
    named = theOne(found);
    if (named === undefined) {
      const some = "Say which survey: --survey N.";
      const hint = asked < all.length ? some : "Is the key right? Upper and lower case differ.";
      const message = `the service has no such key in ${asked} of ${count(all.length, "survey")}`;
      throw new CommandError("NO_SUCH_KEY", message, { hint });
    }
  }
  const id = "id" in by ? by.id : (named?.looked.responseId ?? 0);
  const surveys = named === undefined ? all : [named];
  const known = await findResponse(target, surveys, id);
  // Where there is but one survey it is meant, whether it has such a response or not.
  const place = known ?? (surveys.length === 1 ? surveys[0] : undefined);
  const mayAsk = ask && named === undefined && typeof id === "number";
  const there = place === undefined ? surveys : [place];
  const answers = mayAsk
    ? await orLedger(io, known !== undefined, () => askService(target, there, { responseId: id }))
    : undefined;
  const looked = named ?? (answers === undefined ? undefined : theOne(answers.found));
  const found = place ?? looked;
  if (found === undefined) return nowhere(target, source, id, { surveys: all.length, asked: answers?.asked });
  const asked = looked?.looked ?? (answers === undefined ? undefined : null);
  return explain(await factsOf(target, found, { id, entry: known?.entry, looked: asked }, io));
}

/** Asks for what adds to the ledger's story, and does without where that cannot be had now; throws where the ledger has none. */
async function orLedger<T>(io: Pick<Io, "say">, hasStory: boolean, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await unlessFailing(ask);
  } catch (error) {
    if (!hasStory || !(error instanceof CommandError)) throw error;
    io.say(`${error.message}: what follows is what the ledger has.`);
    return undefined;
  }
}

/** Asks the service for the response, one request a survey and a hundred at most; a source that is paused is not asked. */
async function askService(
  target: Target,
  surveys: readonly SurveyOf[],
  by: { responseId: number } | { crk: string },
): Promise<{ found: LookedIn[]; asked: number }> {
  const found: LookedIn[] = [];
  let asked = 0;
  for (const [source, some = []] of Object.entries(Object.groupBy(surveys, (one) => one.source))) {
    const account = await fromTable(() => readAccount(target.table, source));
    refusePaused({ source, account }, target);
    const all = some.map(({ surveyId }) => surveyId);
    for (let from = 0; from < all.length && asked < MOST_ASKED; ) {
      const surveyIds = all.slice(from, from + MOST_ASKED - asked);
      const answer = await target.operate(source, "look", { surveyIds, ...by });
      from += answer.asked;
      asked += answer.asked;
      found.push(...answer.found.map((looked) => ({ source, surveyId: looked.surveyId, looked })));
    }
  }
  return { found, asked };
}

async function factsOf(
  target: Target,
  { source: name, surveyId }: SurveyOf,
  known: Pick<Facts, "id" | "entry" | "looked">,
  io: Pick<Io, "now" | "say">,
): Promise<Facts> {
  const now = io.now();
  const { id, entry } = known;
  const source = await oneSource(target, name);
  const { events } = await target.config();
  const [mark, account] = await fromTable(() =>
    Promise.all([readMark(target.table, name, surveyId), readAccount(target.table, name)]),
  );
  const facts = {
    ...{ ...known, source, surveyId, mark, account, now, flags: target.flags },
    tellsDeleted: events["response.deleted"],
    isStopped: target.data?.isRunning === false,
  };
  // The log and the books name responses alone, and no single records.
  if (typeof id !== "number") return { ...facts, log: [], isListed: undefined };
  const around = [entry?.emittedAt, entry?.gone?.since].filter((at) => at !== undefined);
  const of = { source: name, surveyId, responseId: id, around };
  const log = await orLedger(io, true, () => readEventLog(target, of, now));
  return { ...facts, log: log ?? [], isListed: (await listedIdsOf(mark, target.bucket))?.has(id) };
}

async function nowhere(
  target: Target,
  source: string | undefined,
  id: LedgerEntry["id"],
  { surveys, asked }: { surveys: number; asked: number | undefined },
): Promise<ExplainAnswer> {
  const names = (await sourcesOf(target, source)).map(({ name }) => name);
  const accounts = await fromTable(() => Promise.all(names.map((one) => readAccount(target.table, one))));
  const isBehind = accounts.some(({ rows }) => [...rows.values()].some((row) => row.isBehind === true));
  const of = asked === undefined ? "" : `, and the service has it in none of ${asked}`;
  const more = isBehind ? " Some are still being read for the first time." : "";
  const what = "With its survey named the answer says more: never listed, or before the start.";
  return {
    ...{ source: names.join(", "), surveyId: null, name: null, responseId: id },
    ...{ verdict: "unknown", outlook: isBehind ? "coming" : "unknown" },
    sentence: `Not known: none of ${count(surveys, "survey")} has it in its ledger${of}.${more}`,
    next: { what, at: null, command: nextCommand(`explain ${id}`, { surveyId: "N", flags: target.flags }, "--ask") },
    ...{ steps: [], ledger: null, log: { lines: 0, note: null } },
  };
}

/** Whose lines are asked for, and moments (epoch milliseconds) at which some may lie. */
type OfResponse = SurveyOf & { responseId: number; around: readonly number[] };

/**
 * Reads the lines of one response in the log while they are kept, the oldest first. Those of a stack are in CloudWatch Logs, those of a data
 * folder in its log file.
 */
async function readEventLog(target: Target, of: OfResponse, now: number): Promise<EventLogLine[]> {
  if (target.data !== undefined) {
    const marked = readLogLines(target.data.folder).filter((text) => text.includes(`"responseId":${of.responseId},`));
    return linesOf(marked, of);
  }
  const group = target.stack?.outputs.PollLogGroupName;
  if (group === undefined) return [];
  const { CloudWatchLogsClient, FilterLogEventsCommand } = await import("@aws-sdk/client-cloudwatch-logs");
  using client = closing(new CloudWatchLogsClient({ maxAttempts: 5 }));
  const filterPattern = `{ $.message = "event" && $.surveyId = ${of.surveyId} && $.responseId = ${of.responseId} }`;
  return await searchLog(of, now, (startTime, endTime, nextToken) =>
    askingAws("the log could not be read", () =>
      client.send(new FilterLogEventsCommand({ logGroupName: group, filterPattern, startTime, endTime, nextToken })),
    ),
  );
}

type LogPage = { events?: FilteredLogEvent[] | undefined; nextToken?: string | undefined };

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Pages that are read: each looks through a megabyte or more. */
const MOST_PAGES = 60;
/** Days before now at which a stretch of the log begins; a stretch is read from its beginning on, so the newest comes first. */
const STRETCHES = [0, 1, 3, 7, 14, 30, 90, 400];

/** Looks around known moments first, as these are sure to matter, then backwards from now, for a number of pages. */
export async function searchLog(
  of: OfResponse,
  now: number,
  page: (from: number, to: number, next: string | undefined) => Promise<LogPage>,
): Promise<EventLogLine[]> {
  const found = new Set<string>();
  let left = MOST_PAGES;
  const read = async (from: number, to: number): Promise<boolean> => {
    let next: string | undefined;
    do {
      if (left === 0) return false;
      left -= 1;
      const { events = [], nextToken } = await page(from, to, next);
      for (const { message = "" } of events) found.add(message);
      next = nextToken;
    } while (next !== undefined);
    return true;
  };
  for (const at of of.around) await read(at - 5 * MINUTE, at + 5 * MINUTE);
  for (const [i, days] of STRETCHES.slice(1).entries()) {
    if (!(await read(now - days * DAY, now - (STRETCHES[i] ?? 0) * DAY))) break;
  }
  return linesOf(found, of);
}

function linesOf(texts: Iterable<string>, of: OfResponse): EventLogLine[] {
  const isOf = (line: unknown): line is Omit<EventLogLine, "at"> & { timestamp: string } => {
    if (!isObject(line) || line.message !== "event" || !isObject(line.ms)) return false;
    return line.source === of.source && line.surveyId === of.surveyId && line.responseId === of.responseId;
  };
  const lines = [...texts].map(parseJson).filter(isOf);
  return lines.map((line) => ({ ...line, at: Date.parse(line.timestamp) })).sort((a, b) => a.at - b.at);
}
