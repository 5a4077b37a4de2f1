import {
  type BooksVerdict,
  DETAIL_TYPE,
  eventId,
  type ResponseCompleted,
  responseCompleted,
  verifyBooks,
} from "survey-poller/events";

export const completed = (detail: unknown): ResponseCompleted => responseCompleted.parse(detail);
export const verdict = (...given: Parameters<typeof verifyBooks>): BooksVerdict => verifyBooks(...given);
export const names: string[] = [DETAIL_TYPE, eventId("main", 1, 2)];
// @ts-expect-error: the score is no text
export const score: string = completed({}).data.metrics[0]?.score;
