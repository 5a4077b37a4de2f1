import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { LedgerEntry } from "../lib/polling/model/ledger-entry.ts";

/** An id as it is typed: of a survey. */
export function surveyId(text: string): number {
  return wholeNumber(text) ?? refuse("it must be a survey id, a whole number above 0");
}

/** Several of them, one after the other. */
export function surveyIds(text: string, before: number[] = []): number[] {
  return [...before, surveyId(text)];
}

/** A responseId; or a record of nobody knows which response, by the id that `quarantine list` shows. */
export function responseId(text: string): LedgerEntry["id"] {
  if (/^record-[\w-]+$/.test(text)) return text as LedgerEntry["id"];
  return wholeNumber(text) ?? refuse("it must be a responseId, a whole number above 0");
}

function wholeNumber(text: string): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

function refuse(message: string): never {
  throw new InvalidArgumentError(message);
}
