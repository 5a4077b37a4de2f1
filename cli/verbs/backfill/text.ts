import { count } from "../../words.ts";
import type { BackfillAnswer } from "./answer.ts";

/** How many ids are shown to people. */
const SHOWN = 10;

export function backfillText(answer: BackfillAnswer, flags: string): string[] {
  const { outcome, surveyId, floor, page, pages, why } = answer;
  const of = `the backfill of survey ${surveyId}`;
  const range = answer.range === null ? "" : `, ${answer.range.from} to ${answer.range.to}`;
  const watch = `survey-poller backfill --survey ${surveyId} --watch ${flags}`;
  switch (outcome) {
    case "to do":
      return toDo(answer);
    case "nothing":
      return [
        floor === null
          ? `Nothing of survey ${surveyId} is history: nothing of it has been left out.`
          : `Nothing of that range of survey ${surveyId} lies before the start, ${floor}.`,
      ];
    case "started":
      return [`Started ${of}${range}. The head goes on beside it.`, `It is watched by: ${watch}`];
    case "under way":
      return [
        `Under way: ${of}${range}${page === null ? "" : `, page ${page} of ${Math.max(page, pages)}`}${why === null ? "" : `: ${why}`}.`,
        `It is watched by: ${watch}`,
      ];
    case "done":
      return [`Done: ${of}${range}. A full pass follows by itself, and closes the books.`];
    case "partial":
      return [
        `${of} came to its end, and something may have been left out: ${why}.`,
        "Start it again: nothing goes out twice.",
      ];
    case "stopped":
      return [
        answer.dryRun
          ? `Would stop ${of}${range}.`
          : `Stopped ${of}${range}. What waits for its details still goes out. Its walk comes to the end of the list, and looks for what is new alone.`,
      ];
    case "none":
      return [`No backfill of survey ${surveyId} is under way.`];
  }
}

function toDo({ surveyId, range, count: counted, ids, floor, pages }: BackfillAnswer): string[] {
  const responses = counted === null ? "the responses" : count(counted, "response");
  const shown = ids.slice(0, SHOWN).join(", ");
  const more = (counted ?? 0) > SHOWN ? ", …" : "";
  return [
    `Would emit ${responses} of survey ${surveyId} completed from ${range?.from} to ${range?.to}, before its start (${floor}).`,
    ...(ids.length === 0 ? [] : [`Ids: ${shown}${more}`]),
    `It reads each page twice, about ${count(2 * pages, "request")}, and metrics and metadata of each response.`,
  ];
}
