import { hash } from "node:crypto";
import { isObject } from "../json.ts";
import { endsWork } from "./errors.ts";
import { noteHeld } from "./ledger/entries.ts";
import { privateRecord } from "./model/privacy.ts";
import { choicesOf, digestOf, hasText, readRecord } from "./model/records.ts";
import type { Response } from "./model/response.ts";
import type { Order } from "./ports.ts";
import type { Survey } from "./survey.ts";
import { toPage } from "./walk/page.ts";

// The single read gives one response by its id. Its contents are used where it was compared with whole responses (R11).

/** Responses that are compared whatever their size, and those of several records that it has to equal. */
const FIRST = 3;
/** Answers in a row that say nothing, and the milliseconds for which it is not asked then. */
const MOST_SILENT = 3;
const SILENCE = 24 * 3_600_000;

type Asking = Pick<Survey, "learned" | "source">;

/** Whether contents come from the single read alone: its source has scattered records (R12), or the configuration says so. */
export function isSingleOnly({ learned, source: { contents = "auto" } }: Asking): boolean {
  return contents === "single" || (contents === "auto" && learned.scattered !== undefined);
}

/** Whether contents of the single read go out for what pages cannot prove. */
export function isTrusted(asking: Asking): boolean {
  const { contents = "auto" } = asking.source;
  if (isSingleOnly(asking)) return true;
  // fault: one-record-makes-trust
  return contents === "auto" && asking.learned.differs === undefined && asking.learned.single.equal >= FIRST;
}

export function mayAnswer({ learned, source, ports }: Pick<Survey, "learned" | "source" | "ports">): boolean {
  return source.contents !== "pages" && ports.clock.now() >= (learned.single.silentUntil ?? 0);
}

/** The records of the single read, fit to leave the process; none where it has no such response, and undefined where it fails. */
export async function answerOf(survey: Survey, responseId: number): Promise<unknown[] | undefined> {
  try {
    const read = await survey.ports.service.response(survey.id, responseId);
    if (read.kind === "absent") return [];
    return read.body.map((record) => privateRecord(record, survey.source.privacy));
  } catch (error) {
    if (endsWork(error)) throw error;
    return undefined;
  }
}

/** Undefined where it fails or has none. */
export async function ask(survey: Survey, responseId: number): Promise<unknown[] | undefined> {
  const records = await answerOf(survey, responseId);
  return records?.length === 0 ? undefined : records;
}

/** Records of the single read as pages would list them: what it does not tell of the response as a whole is taken from a record of the list, a completed one if there is. */
export function asListed(single: unknown[], listed: readonly unknown[]): unknown[] {
  const one = listed.find((record) => readRecord(record).completed === true) ?? listed[0];
  if (!isObject(one)) return single;
  const { responseId, completed, dateStart, dateCompleted, iso3166, crk, promoCode } = one;
  const fields = { responseId, completed, dateStart, dateCompleted, iso3166, crk, promoCode };
  return single.map((record) => (isObject(record) ? { ...fields, ...record } : record));
}

/** A response that is whole by one read of its page. */
export interface Whole {
  responseId: number;
  records: unknown[];
  seen: { page: number; order: Order };
}

/**
 * Compares whole responses with the single read: the first ones of a source, and those of several records until it is trusted. A difference counts when both are read
 * once more, and still differ.
 */
export async function compareWhole(survey: Survey, whole: readonly Whole[]): Promise<void> {
  const { learned, source } = survey;
  const { single, differs, scattered } = learned;
  const isDone = differs !== undefined || single.equal >= FIRST || scattered !== undefined;
  if (isDone || (source.contents ?? "auto") !== "auto" || !mayAnswer(survey)) return;
  const due = whole.filter(({ records }) => single.compared < FIRST || records.length > 1);
  await Promise.all(due.slice(0, FIRST).map((one) => compare(survey, one)));
}

async function compare(survey: Survey, one: Whole): Promise<void> {
  const { learned, ports } = survey;
  const { single } = learned;
  const answer = await ask(survey, one.responseId);
  single.compared += 1;
  if (answer === undefined) {
    single.silent += 1;
    if (single.silent < MOST_SILENT) return;
    Object.assign(single, { silent: 0, silentUntil: ports.clock.now() + SILENCE });
    return;
  }
  single.silent = 0;
  if (compareAnswers(one.records, answer) === "equal") {
    if (one.records.length > 1) single.equal += 1;
    return;
  }
  const [listed, again] = await Promise.all([readAgain(survey, one), ask(survey, one.responseId)]);
  // An edit between the two reads, or an answer that does not come now, tells nothing.
  if (again === undefined || listed.length !== one.records.length) return;
  const comparison = compareAnswers(listed, again);
  if (comparison === "more") await noteScattered(survey);
  else if (comparison !== "equal") {
    // Written at once: what another tick learns meanwhile does not take it back.
    learned.differs = ports.clock.now();
    await ports.state.saveAccount({ differs: learned.differs });
  }
}

/** Its records on its page, read once more; none where that fails. */
async function readAgain(survey: Survey, { responseId, seen }: Whole): Promise<unknown[]> {
  try {
    const page = toPage(seen.page, await survey.page(seen.page, seen.order));
    const records = page?.runs.flatMap((run) => (run.responseId === responseId ? run.records : [])) ?? [];
    return records.map(({ raw }) => privateRecord(raw, survey.source.privacy));
  } catch (error) {
    if (endsWork(error)) throw error;
    return [];
  }
}

/** From now on contents come from the single read (R12). It is written at once, as all that goes out depends on it. */
export async function noteScattered({ id, learned, ports, source }: Survey): Promise<void> {
  if (learned.scattered !== undefined || (source.contents ?? "auto") !== "auto") return;
  // fault: scattered-unlearned
  learned.scattered = ports.clock.now();
  await ports.state.saveAccount({ scattered: learned.scattered });
  ports.observe({ kind: "scattered", surveyId: id });
}

/** How the answers of the single read relate to those of a whole response. More: all of them and something besides. */
export function compareAnswers(listed: unknown[], single: unknown[]): "equal" | "more" | "different" {
  if (!includesAll(single.map(keyOfAnswer), listed.map(keyOfAnswer))) return "different";
  return single.length === listed.length ? "equal" : "more";
}

/** Hashes of the answers of some records, by the fields that an answer has. */
export function hashesOf(records: unknown[]): string[] {
  return records.map((record) => hash("sha1", keyOfAnswer(record), "base64url").slice(0, 12));
}

/** Whether all of `some` are among `all`, as many times. */
export function includesAll(all: string[], some: string[]): boolean {
  const left = new Map<string, number>();
  for (const key of all) left.set(key, (left.get(key) ?? 0) + 1);
  for (const key of some) left.set(key, (left.get(key) ?? 0) - 1);
  return [...left.values()].every((count) => count >= 0);
}

function keyOfAnswer(record: unknown): string {
  if (!isObject(record)) return JSON.stringify(record);
  const { questionId, answer, score, comment } = record;
  return JSON.stringify([questionId, choicesOf(answer), score, hasText(comment)]);
}

/** The responses whose contents are proved, and how many are left to the next poll. Those that are held count as dealt with, and so do changes that nothing proves. */
export interface Proofs {
  proved: Response[];
  left: number;
}

/**
 * Proves the contents of responses: by their page or by both pages beside a boundary, or by the single read. That proves a response where it is trusted and includes
 * what was read. It alone proves any where records are scattered (R12).
 */
export async function prove(survey: Survey, all: readonly Response[]): Promise<Proofs> {
  await compareWhole(survey, all.filter(isInsidePage));
  const isProved = ({ proof }: Response): boolean =>
    proof === "single read" || proof === "kept" || (proof !== "nothing" && !isSingleOnly(survey));
  const rest = all.filter((response) => !isProved(response));
  const answers = await Promise.all(rest.map((response) => bySingle(survey, response)));
  const given = answers.filter((one) => one !== undefined);
  const unproved = rest
    .filter(({ replaces }, i) => replaces === undefined && answers[i] === undefined)
    .map(({ responseId, records }) => ({ responseId, shown: hashesOf(records) }));
  const left = unproved.length - (await noteHeld(survey, unproved));
  // fault: unproved-goes-out
  return { proved: [...all.filter(isProved), ...given], left };
}

function isInsidePage(response: Response): response is Response & Whole {
  return response.proof === "its page" && response.seen !== undefined;
}

async function bySingle(survey: Survey, response: Response): Promise<Response | undefined> {
  const answer = isTrusted(survey) ? await ask(survey, response.responseId) : undefined;
  if (answer === undefined) return undefined;
  const { responseId, records: listed, replaces } = response;
  const comparison = compareAnswers(listed, answer);
  const { count = 0 } = replaces?.entry ?? {};
  // Of a response that has lost records only an answer that equals what was read proves that these are all.
  const isFewer = listed.length < count && !isSingleOnly(survey);
  if (comparison !== "equal" && (comparison !== "more" || isFewer)) return undefined;
  // What went out before its source was known to scatter records may have been all of it.
  const isBack = replaces?.entry.gone?.told === true;
  if (replaces !== undefined && !isBack && isSingleOnly(survey) && answer.length <= count) return undefined;
  const records = asListed(answer, listed);
  const digest = digestOf({ responseId, records: records.map((record) => readRecord(record)) });
  // The list may show fewer of the new records than the single read does.
  const isOtherCount = replaces !== undefined && records.length !== count && !replaces.changes.includes("records");
  const named = isOtherCount ? { ...replaces, changes: [...replaces.changes, "records" as const] } : replaces;
  return {
    ...response,
    proof: "single read",
    records,
    // Nobody knows how pages list it where comments are dropped.
    digest: survey.source.privacy.comments === "drop" ? undefined : digest,
    replaces: named,
  };
}
