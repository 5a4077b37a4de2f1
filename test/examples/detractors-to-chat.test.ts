import { expect, it } from "vitest";
import { messageOf } from "../../examples/detractors-to-chat/message.ts";
import type { ResponseCompleted } from "../../lib/events/index.ts";
import { golden } from "./support/events.ts";

const { detail } = golden("detractor");
const plain = "*Detractor* in After a visit: 2 of 10 (survey 103, response 46375)";

/** With these comments, below the answer's question. */
function commented(...comments: string[]): ResponseCompleted {
  const answers = comments.map((comment) => ({ ...detail.data.answers[0], comment }));
  return { ...detail, data: { ...detail.data, answers } } as ResponseCompleted;
}

it.each<[what: string, event: ResponseCompleted, withComment: boolean, message: string]>([
  ["names survey, score and ids, and no answer", commented("call me"), false, plain],
  ["says so of a test event", { ...detail, meta: { ...detail.meta, test: true } }, false, `[test] ${plain}`],
  [
    "names a survey by its id where no list has shown it",
    { ...detail, data: { ...detail.data, survey: null } },
    false,
    plain.replace("After a visit", "Survey 103"),
  ],
  [
    "quotes the first comment, with nothing that the chat would take for a mention",
    commented("", "<!channel> A & B\nsecond line"),
    true,
    `${plain}\n>&lt;!channel&gt; A &amp; B\n>second line`,
  ],
  ["cuts a long comment", commented("x".repeat(501)), true, `${plain}\n>${"x".repeat(500)}…`],
])("a message %s", (_what, event, withComment, message) => {
  expect(messageOf(event, withComment)).toBe(message);
});
