import type { PageRead } from "../../../../lib/polling/ports.ts";
import { type Page, toPage } from "../../../../lib/polling/walk/page.ts";

/** Records as `response/question`, with an answer where a third part says one. */
export function readOf(...records: string[]): PageRead {
  return { kind: "page", records: records.map(toRecord) };
}

/** A page of such records. */
export function pageOf(number: number, ...records: string[]): Page {
  const page = toPage(number, readOf(...records));
  if (page === undefined) throw new TypeError("a page without records is none");
  return page;
}

function toRecord(text: string): unknown {
  const [responseId, questionId, answer] = text.split("/").map(Number);
  return { responseId, questionId, completed: 1, answer: answer === undefined ? [] : [answer] };
}
