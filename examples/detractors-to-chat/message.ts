import type { ResponseCompleted } from "survey-poller/events";

const LONGEST = 500;

/** One message, in the markup of the chat. Texts are escaped, so that a comment cannot mention a whole channel. */
export function messageOf({ meta, data }: ResponseCompleted, withComment: boolean): string {
  const { survey, surveyId, responseId, summary, answers } = data;
  const name = survey?.name ?? `Survey ${surveyId}`;
  const test = meta.test === true ? "[test] " : "";
  const first = `${test}*Detractor* in ${escaped(name)}: ${summary.nps?.score} of 10 (survey ${surveyId}, response ${responseId})`;
  const comment = withComment ? answers.map((answer) => answer.comment).find((text) => text !== "") : undefined;
  return comment === undefined ? first : `${first}\n>${escaped(shortened(comment)).replaceAll("\n", "\n>")}`;
}

function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`;
}

/** The three characters that have a meaning of their own in the chat's markup. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
