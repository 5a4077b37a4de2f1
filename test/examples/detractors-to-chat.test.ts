import { expect, it } from "vitest";
import { type MessageOptions, messageOf } from "../../examples/detractors-to-chat/message.ts";
import type { ResponseCompleted } from "../../lib/events/index.ts";
import { golden } from "./support/events.ts";

const { detail } = golden("detractor");
const { response, summary } = detail.data;
const first = "*Detractor* in After a visit: 2 of 10 (survey 103, response 46375)";
const customer = "Customer: customer-1042";
const question = "Question: How was it?";

type Data = ResponseCompleted["data"];

function event(changes: Partial<Data>, meta: object = {}): ResponseCompleted {
  return { ...detail, meta: { ...detail.meta, ...meta }, data: { ...detail.data, ...changes } } as ResponseCompleted;
}

/** Answers with these comments, to the same question. */
const commented = (...comments: string[]): Partial<Data> => ({
  answers: comments.map((comment) => ({ ...detail.data.answers[0], comment })) as Data["answers"],
});

it.each<[what: string, event: ResponseCompleted, options: Partial<MessageOptions>, lines: string[]]>([
  ["names survey, score, ids and customer, and no comment", event(commented("call me")), {}, [first, customer]],
  ["says so of a test event", event({}, { test: true }), {}, [`[test] ${first}`, customer]],
  [
    "names a survey by its id where no list has shown it",
    event({ survey: null }),
    {},
    [first.replace("After a visit", "Survey 103"), customer],
  ],
  ["has no customer where the inviter has set no key", event({ response: { ...response, crk: null } }), {}, [first]],
  [
    "names the question that was answered with the score",
    event({ summary: { ...summary, nps: { score: 4, class: "detractor" } } }),
    {},
    [first.replace("2 of", "4 of"), customer, question],
  ],
  [
    "quotes the first comment below its question, with nothing that the chat would take for a mention",
    event(commented("", "<!channel> A & B\nsecond line")),
    { withComment: true },
    [first, customer, question, ">&lt;!channel&gt; A &amp; B", ">second line"],
  ],
  [
    "cuts a long comment",
    event(commented("x".repeat(501))),
    { withComment: true },
    [first, customer, question, `>${"x".repeat(500)}…`],
  ],
  [
    "links to the response where the address is known",
    event({}),
    { linkTemplate: "https://surveys.example.com/{surveyId}?response={responseId}&survey={surveyId}" },
    [first, customer, "https://surveys.example.com/103?response=46375&amp;survey=103"],
  ],
])("a message %s", (_what, event, options, lines) => {
  expect(messageOf(event, { withComment: false, linkTemplate: "", ...options }).split("\n")).toEqual(lines);
});
