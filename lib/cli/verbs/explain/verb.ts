import type { SourceConfig } from "../../../config/index.ts";
import { type Looked, MOST_ASKED } from "../../../operator/look.ts";
import type { AccountState, LedgerEntry } from "../../../polling/index.ts";
import { readAccount } from "../../../state/account.ts";
import { readMark } from "../../../state/leases.ts";
import { readEntryIn } from "../../../state/ledger.ts";
import { CommandError, EXIT, UsageError, unlessFailing } from "../../errors.ts";
import type { Io, Style } from "../../io.ts";
import { type Flags, openTarget } from "../../target/open-target.ts";
import { fromTable, idsIn, listedIdsOf, refusePaused, type SurveyOf, theOne } from "../../target/surveys.ts";
import { sourcesOf, type Target } from "../../target/target.ts";
import { examples, surveyId, targetVerb, type Verb } from "../../verb.ts";
import { columns, count, nextCommand, surveyName } from "../../words.ts";
import { readEventLog } from "./event-log.ts";
import { type ExplainAnswer, type Facts, instant, stepsOf, verdictOf } from "./story.ts";

const EXITS = { settled: EXIT.done, coming: EXIT.notNow, person: EXIT.unaccounted, unknown: EXIT.failed };

const HELP = `
Exit codes: 0 emitted, deleted, forgotten or before the start · 3 it goes on by itself (open, waiting, held)
            5 it needs somebody (quarantined, refused, unaccounted) · 1 not known at all
`;

export const explainVerb: Verb = (act) =>
  targetVerb("explain", "the story of one response, and what will happen next")
    .argument("[response]", "its id; or record-… of a record that has none")
    .option("--crk <code>", "find it by a respondent's key: a request a survey, 100 at most")
    .option("--survey <id>", "where the response's id alone is ambiguous", surveyId)
    .option("--source <name>", "only this source")
    .option("--ask", "ask the service for it as well, by its id: a request a survey, 100 at most")
    .addHelpText(
      "after",
      HELP +
        examples(
          "explain 45858 --stack SurveyPoller",
          "explain 45858 --survey 101 --ask",
          "explain --crk customer-4711",
        ),
    )
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

/** Which response is meant, and whether the service may be asked. */
export interface Asked extends Pick<Flags, "source" | "survey"> {
  by: { id: LedgerEntry["id"] } | { crk: string };
  ask: boolean;
}

/** A source, and those of its surveys in which a response may be. */
interface Place {
  source: SourceConfig;
  account: AccountState;
  surveyIds: number[];
}

/** Where a response was found, or is looked for. */
interface Found extends SurveyOf {
  place: Place;
  entry?: LedgerEntry;
  looked?: Looked;
}

const allIn = (places: readonly Place[]): Found[] =>
  places.flatMap((place) => place.surveyIds.map((surveyId) => ({ place, source: place.source.name, surveyId })));

/** Finds the response, reads all that is known of it, and tells its story. */
export async function readStory(
  target: Target,
  { by, ask, survey, source }: Asked,
  io: Pick<Io, "now" | "say">,
): Promise<ExplainAnswer> {
  const places = await placesOf(target, await sourcesOf(target, source), survey);
  const named = "crk" in by ? await byCrk(target, places, by.crk) : undefined;
  const id = named?.looked?.responseId ?? ("id" in by ? by.id : 0);
  const within = named === undefined ? places : [{ ...named.place, surveyIds: [named.surveyId] }];
  const all = allIn(within);
  // Where there is but one survey it is meant, whether it has such a response or not.
  const only = all.length === 1 ? all[0] : undefined;
  const known = theOne(await findInLedger(target, within, id)) ?? only;
  const mayAsk = ask && named === undefined && typeof id === "number";
  const there = known === undefined ? within : [{ ...known.place, surveyIds: [known.surveyId] }];
  const answers = mayAsk
    ? await orLedger(io, known?.entry !== undefined, () => askService(target, there, { responseId: id }))
    : undefined;
  const looked = named ?? (answers === undefined ? undefined : theOne(answers.found));
  const found = known ?? looked;
  if (found === undefined) return nowhere(places, id, answers?.asked, target.flags);
  const asked = looked?.looked ?? (answers === undefined ? undefined : null);
  return explain(await factsOf(target, found, { id, looked: asked }, io));
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

async function placesOf(target: Target, sources: readonly SourceConfig[], survey: number | undefined) {
  const placeOf = async (source: SourceConfig): Promise<Place> => {
    const account = await readAccount(target.table, source.name);
    return { source, account, surveyIds: survey === undefined ? idsIn(account) : [survey] };
  };
  return fromTable(() => Promise.all(sources.map(placeOf)));
}

async function findInLedger(target: Target, places: readonly Place[], id: LedgerEntry["id"]): Promise<Found[]> {
  const found: Found[] = [];
  for (const place of places) {
    const source = place.source.name;
    const entries = await fromTable(() => readEntryIn(target.table, source, place.surveyIds, id));
    for (const [surveyId, entry] of entries) found.push({ place, source, surveyId, entry });
  }
  return found;
}

/** Asks the service for the response, one request a survey and a hundred at most; a source that is paused is not asked. */
async function askService(
  target: Target,
  places: readonly Place[],
  by: { responseId: number } | { crk: string },
): Promise<{ found: Found[]; asked: number }> {
  const found: Found[] = [];
  let asked = 0;
  for (const place of places) {
    refusePaused({ source: place.source.name, account: place.account }, target);
    for (let from = 0; from < place.surveyIds.length && asked < MOST_ASKED; ) {
      const surveyIds = place.surveyIds.slice(from, from + MOST_ASKED - asked);
      const answer = await target.operate(place.source.name, "look", { surveyIds, ...by });
      from += answer.asked;
      asked += answer.asked;
      const { name: source } = place.source;
      found.push(...answer.found.map((looked) => ({ place, source, surveyId: looked.surveyId, looked })));
    }
  }
  return { found, asked };
}

async function byCrk(target: Target, places: readonly Place[], crk: string): Promise<Found> {
  const { found, asked } = await unlessFailing(() => askService(target, places, { crk }));
  const one = theOne(found);
  if (one !== undefined) return one;
  const surveys = allIn(places).length;
  const hint = asked < surveys ? "Say which survey: --survey N." : "Is the key right? Upper and lower case differ.";
  const message = `the service has no such key in ${asked} of ${count(surveys, "survey")}`;
  throw new CommandError("NO_SUCH_KEY", message, { hint });
}

async function factsOf(
  target: Target,
  { place: { source, account }, surveyId, entry }: Found,
  { id, looked }: Pick<Facts, "id" | "looked">,
  io: Pick<Io, "now" | "say">,
): Promise<Facts> {
  const now = io.now();
  const { events } = await target.config();
  const mark = await fromTable(() => readMark(target.table, source.name, surveyId));
  const around = [entry?.emittedAt, entry?.gone?.since].filter((at) => at !== undefined);
  const facts = {
    ...{ source, surveyId, id, entry, mark, account, looked, now, flags: target.flags },
    tellsDeleted: events["response.deleted"],
    isStopped: target.data?.isRunning === false,
  };
  // The log and the books name responses alone, and no single records.
  if (typeof id !== "number") return { ...facts, log: [], isListed: undefined };
  const of = { source: source.name, surveyId, responseId: id, around };
  const log = await orLedger(io, true, () => readEventLog(target, of, now));
  return { ...facts, log: log ?? [], isListed: (await listedIdsOf(mark, target.bucket))?.has(id) };
}

/** The story of a response, of all that is known of it. Pure. */
export function explain(facts: Facts): ExplainAnswer {
  const { source, surveyId, id, entry, mark, log } = facts;
  return {
    ...{ source: source.name, surveyId, name: mark.survey?.facts.name ?? null, responseId: id },
    ...{ ...verdictOf(facts), steps: stepsOf(facts), ledger: ledgerOf(entry) },
    log: { lines: log.length, note: noteOf(facts) },
  };
}

function ledgerOf(entry: LedgerEntry | undefined): ExplainAnswer["ledger"] {
  if (entry === undefined) return null;
  const { kept: _, person: __, shown: ___, ...others } = entry;
  return others;
}

/** Why the log tells less than one may expect; null where it tells all. */
function noteOf({ entry, log, source }: Facts): string | null {
  if (entry?.state !== "emitted" || log.some(({ eventId }) => eventId === entry.eventId)) return null;
  return source.logLevel === "warn" || source.logLevel === "error"
    ? `The log has no lines of events: logLevel of ${source.name} is "${source.logLevel}".`
    : "No line of its event was found in the log: what is told here is what the ledger has.";
}

/** The answer about a response that no survey has. */
function nowhere(
  places: readonly Place[],
  id: LedgerEntry["id"],
  asked: number | undefined,
  flags: string,
): ExplainAnswer {
  const isBehind = places.some(({ account }) => [...account.rows.values()].some((row) => row.isBehind === true));
  const of = asked === undefined ? "" : `, and the service has it in none of ${asked}`;
  const more = isBehind ? " Some are still being read for the first time." : "";
  const what = "With its survey named the answer says more: never listed, or before the start.";
  const source = places.map((place) => place.source.name).join(", ");
  return {
    ...{ source, surveyId: null, name: null, responseId: id },
    ...{ verdict: "unknown", outlook: isBehind ? "coming" : "unknown" },
    sentence: `Not known: none of ${count(allIn(places).length, "survey")} has it in its ledger${of}.${more}`,
    steps: [],
    next: { what, at: null, command: nextCommand(`explain ${id}`, { surveyId: "N", flags }, "--ask") },
    ...{ ledger: null, log: { lines: 0, note: null } },
  };
}
