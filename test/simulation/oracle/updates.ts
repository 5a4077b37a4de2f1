import type { ResponseCompleted } from "../../../lib/events/index.ts";
import type { SimResponse } from "../service/survey-model.ts";
import { answersOf, eventAnswers } from "./expected-answers.ts";

// What updates may say: each differs from the event before it in what it names, and no revision says two things.

/** What an event says of its response, by what can change. */
export interface Said {
  answers: string;
  facts: string;
  records: number;
}

export function saidBy({ data }: Pick<ResponseCompleted, "data">): Said {
  const { country, crk, promoCode, started, completed, answerCount } = data.response;
  return {
    answers: eventAnswers(data.answers),
    facts: JSON.stringify([started.local, completed.local, country, crk, promoCode]),
    records: answerCount,
  };
}

/** What is wrong with an event beside those that the bus has of the same response. */
export function wrongUpdate(
  before: readonly { revision: number; said: Said; unknown: boolean }[],
  { revision, said, changed }: { revision: number; said: Said; changed: string[] },
  dropComments: boolean,
): string | undefined {
  if (revision === 1) return undefined;
  const same = before.find((one) => one.revision === revision);
  if (same !== undefined) {
    return JSON.stringify(same.said) === JSON.stringify(said) ? undefined : "one revision says two things";
  }
  const last = before.filter((one) => one.revision < revision).at(-1);
  if (last === undefined) return "it replaces no event";
  const differs = (["answers", "facts", "records"] as const).filter((name) => last.said[name] !== said[name]);
  // The poller cannot know whether that, or one between them, has gone out.
  if (last.unknown || last.revision < revision - 1) return undefined;
  if (differs.length === 0 && !dropComments) return "it says what was said before";
  // It may name more: what was said before is not always known.
  return differs.every((name) => changed.includes(name))
    ? undefined
    : `it names ${changed.join()}, and ${differs.join()} differ`;
}

/** Whether an event says what its response is by now; `dropComments`: but for its comments. */
export function isUpToDate({ versions }: SimResponse, said: Said, dropComments: boolean): boolean {
  const version = versions.at(-1);
  return version !== undefined && answersOf(version, dropComments) === said.answers;
}
