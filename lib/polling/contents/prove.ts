import { noteHeld } from "../ledger/entries.ts";
import { digestOf, readRecord } from "../model/records.ts";
import type { Response } from "../model/response.ts";
import type { Survey } from "../survey.ts";
import {
  ask,
  asListed,
  compareAnswers,
  compareWhole,
  hashesOf,
  isSingleOnly,
  isTrusted,
  type Whole,
} from "./single-read.ts";

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
