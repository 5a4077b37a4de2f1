import { createBucket } from "../../../lib/aws/bucket.ts";
import type { LedgerEntry } from "../../../lib/polling/model/ledger-entry.ts";
import type { Mark } from "../../../lib/polling/model/mark.ts";
import { readMark } from "../../../lib/state/leases.ts";
import { CommandError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { type EventLog, readEventLog } from "../../target/event-log.ts";
import { listedIdsOf } from "../../target/listed-ids.ts";
import { tableOf } from "../../target/state.ts";
import { sourcesOf, type Target } from "../../target/target.ts";
import { count } from "../../words.ts";
import type { ExplainAnswer } from "./answer.ts";
import { explain } from "./explain.ts";
import { askService, type Found, findInLedger, type Place, placesOf, theOne } from "./find.ts";

/** Which response is meant, and whether the service may be asked. */
export interface Asked {
  by: { id: LedgerEntry["id"] } | { crk: string };
  survey?: number | undefined;
  source?: string | undefined;
  ask: boolean;
}

/** Finds the response, reads all that is known of it, and tells its story. */
export async function readStory(
  target: Target,
  { by, ...asked }: Asked,
  io: Pick<Io, "now" | "say">,
): Promise<ExplainAnswer> {
  const places = await placesOf(target, await sourcesOf(target, asked.source), asked.survey);
  const named = "crk" in by ? await byCrk(target, places, by.crk) : undefined;
  const id = named?.looked?.responseId ?? ("id" in by ? by.id : 0);
  const within = named === undefined ? places : [{ ...named.place, surveyIds: [named.surveyId] }];
  const inLedger =
    theOne(await findInLedger(target, within, id)) ?? onlyOne(within) ?? theOne(await findInBooks(target, within, id));
  const mayAsk = asked.ask && named === undefined && typeof id === "number";
  const there = inLedger === undefined ? within : [{ ...inLedger.place, surveyIds: [inLedger.surveyId] }];
  const answers = mayAsk ? await askService(target, there, { responseId: id }) : undefined;
  const looked = named ?? (answers === undefined ? undefined : theOne(answers.found));
  const found = inLedger ?? looked;
  if (found === undefined) return nowhere(places, id, answers, target.flags);
  return storyOf(target, { ...found, looked: looked?.looked }, { id, isAsked: answers !== undefined }, io);
}

/** The survey that is meant where there is but one, whether it has such a response or not. */
function onlyOne(places: readonly Place[]): Found | undefined {
  const [place, ...others] = places.filter(({ surveyIds }) => surveyIds.length > 0);
  const [surveyId, ...further] = place?.surveyIds ?? [];
  if (place === undefined || surveyId === undefined || others.length + further.length > 0) return undefined;
  return { place, surveyId };
}

async function byCrk(target: Target, places: readonly Place[], crk: string): Promise<Found> {
  const { found, asked, surveys } = await askService(target, places, { crk });
  const one = theOne(found);
  if (one !== undefined) return one;
  const hint = asked < surveys ? "Say which survey: --survey N." : "Is the key right? Upper and lower case differ.";
  throw new CommandError("NO_SUCH_KEY", `the service has no such key in ${asked} of ${count(surveys, "survey")}`, {
    hint,
  });
}

async function storyOf(
  target: Target,
  { place, surveyId, entry, looked }: Found,
  { id, isAsked }: { id: LedgerEntry["id"]; isAsked: boolean },
  io: Pick<Io, "now" | "say">,
): Promise<ExplainAnswer> {
  const { source, account } = place;
  const now = io.now();
  const { events } = await target.config();
  const mark = await askingAws("the table could not be read", () => readMark(tableOf(target), source.name, surveyId));
  const around = [entry?.emittedAt, entry?.gone?.since].filter((at) => at !== undefined);
  const log =
    typeof id === "number"
      ? await readEventLog(target, { source: source.name, surveyId, responseId: id, around }, now).catch(unread(io))
      : { lines: [], from: null };
  return explain({
    source,
    tellsDeleted: events["response.deleted"],
    surveyId,
    id,
    entry,
    mark,
    account,
    isListed: typeof id === "number" ? await isListed(target, mark, id) : undefined,
    log: log ?? { lines: [], from: now },
    looked: looked ?? (isAsked ? null : undefined),
    isStopped: target.data?.isRunning === false,
    flags: target.flags,
    now,
  });
}

/** The ledger tells all the same. */
function unread(io: Pick<Io, "now" | "say">): (error: unknown) => EventLog | undefined {
  return (error) => {
    if (!(error instanceof CommandError)) throw error;
    io.say(`${error.message}: what follows is what the ledger has.`);
    return undefined;
  };
}

/** Whether the last closed books list a response; undefined where nothing tells, or the set may not be read. */
async function isListed({ clients, resources }: Target, mark: Mark, id: number): Promise<boolean | undefined> {
  return (await listedIdsOf(mark, createBucket(clients.s3, resources.claimCheckBucket)))?.has(id);
}

/** Surveys whose books are looked through, at most. */
const MOST_BOOKS = 100;

/** The surveys whose books list it. */
async function findInBooks(target: Target, places: readonly Place[], id: LedgerEntry["id"]): Promise<Found[]> {
  const all = places.flatMap((place) => place.surveyIds.map((surveyId) => ({ place, surveyId })));
  if (typeof id !== "number" || all.length > MOST_BOOKS) return [];
  const table = tableOf(target);
  const listed = await Promise.all(
    all.map(async ({ place, surveyId }) => isListed(target, await readMark(table, place.source.name, surveyId), id)),
  );
  return all.filter((_, i) => listed[i] === true);
}

/** The answer about a response that no survey has. */
function nowhere(
  places: readonly Place[],
  id: LedgerEntry["id"],
  answers: { asked: number; surveys: number } | undefined,
  flags: string,
): ExplainAnswer {
  const surveys = places.reduce((sum, { surveyIds }) => sum + surveyIds.length, 0);
  const isBehind = places.some(({ account }) => [...account.rows.values()].some((row) => row.isBehind === true));
  const of = answers === undefined ? "" : `, and the service has it in none of ${answers.asked}`;
  const more = isBehind ? " Some are still being read for the first time." : "";
  return {
    source: places.map(({ source }) => source.name).join(", "),
    surveyId: null,
    responseId: id,
    verdict: "unknown",
    outlook: isBehind ? "coming" : "unknown",
    sentence: `Not known: none of ${count(surveys, "survey")} has it in its ledger${of}.${more}`,
    steps: [],
    next: {
      what: "With its survey named the answer says more: never listed, or before the floor.",
      at: null,
      command: `survey-poller explain ${id} --survey N --ask ${flags}`,
    },
    ledger: null,
    survey: null,
    log: { lines: 0, from: null, note: null },
  };
}
