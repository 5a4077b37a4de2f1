import type { ResponseCompleted } from "survey-poller/events";

const LONGEST = 500;

export interface MessageOptions {
  /** Whether it quotes the first comment. */
  withComment: boolean;
  /** Address of a response, with `{surveyId}` and `{responseId}`; empty: none. */
  linkTemplate: string;
}

/** One message, in the markup of the chat. Texts are escaped, so that a comment cannot mention a whole channel. */
export function messageOf({ meta, data }: ResponseCompleted, { withComment, linkTemplate }: MessageOptions): string {
  const { survey, surveyId, responseId, response, summary, answers } = data;
  const name = survey?.name ?? `Survey ${surveyId}`;
  const test = meta.test === true ? "[test] " : "";
  const score = summary.nps?.score;
  const commented = withComment ? answers.find(({ comment }) => comment !== "") : undefined;
  // No field says which question the score is of: one that was answered by it.
  const asked = commented ?? answers.find((answer) => answer.score === score);
  const question = asked?.question?.text;
  const link = linkTemplate.replaceAll("{surveyId}", `${surveyId}`).replaceAll("{responseId}", `${responseId}`);
  return [
    `${test}*Detractor* in ${escaped(name)}: ${score} of 10 (survey ${surveyId}, response ${responseId})`,
    ...(response.crk ? [`Customer: ${escaped(response.crk)}`] : []),
    ...(question ? [`Question: ${escaped(question)}`] : []),
    ...(commented ? [`>${escaped(shortened(commented.comment)).replaceAll("\n", "\n>")}`] : []),
    ...(link === "" ? [] : [escaped(link)]),
  ].join("\n");
}

function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`;
}

/** The three characters that have a meaning of their own in the chat's markup. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
