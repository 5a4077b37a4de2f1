import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { LedgerEntry } from "../lib/polling/model/ledger-entry.ts";

// What is typed as an argument or as the value of a flag, read.

/** The id of a survey. */
export function surveyId(text: string): number {
  return idOf(text) ?? refuse("it must be a survey id, a whole number above 0");
}

/** Several of them, one after the other. */
export function surveyIds(text: string, before: number[] = []): number[] {
  return [...before, surveyId(text)];
}

/** A responseId; or a record of nobody knows which response, by the id that `quarantine list` shows. */
export function responseId(text: string): LedgerEntry["id"] {
  if (/^record-[\w-]+$/.test(text)) return text as LedgerEntry["id"];
  return idOf(text) ?? refuse("it must be a responseId, a whole number above 0");
}

/** A number of things. */
export function wholeNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : refuse("it must be a whole number");
}

/** A TCP port. */
export function port(text: string): number {
  const number = idOf(text);
  return number !== undefined && number <= 65_535 ? number : refuse("it must be a port, from 1 to 65535");
}

function idOf(text: string): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

function refuse(message: string): never {
  throw new InvalidArgumentError(message);
}
