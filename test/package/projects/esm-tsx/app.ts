import { App, Stack } from "aws-cdk-lib";
import type { IGrantable } from "aws-cdk-lib/aws-iam";
import { DETAIL_TYPE, type ResponseCompleted, responseCompleted } from "survey-poller/events";
import { ConfigError, createStateTable, SurveyPoller, type SurveyPollerProps } from "survey-poller/infra";

const app = new App({ outdir: "out" });
const stack = new Stack(app, "Theirs");
const props: SurveyPollerProps = {
  sources: [{ baseUrl: "https://surveys.example.com", interval: "5m" }],
  stateTable: createStateTable(stack, "Books"),
};
export const poller = new SurveyPoller(stack, "Surveys", props);
const { Resources } = app.synth().getStackByName("Theirs").template;

export const completed = (detail: unknown): ResponseCompleted => responseCompleted.parse(detail);
export const mayRead = (reader: IGrantable): void => poller.grantReadAnswers(reader).assertSuccess();
// @ts-expect-error: a source has an address
export const wrong: SurveyPollerProps = { sources: [{ name: "main" }] };
// @ts-expect-error: not a level
export const odd: SurveyPollerProps = { sources: [{ baseUrl: "https://x", logLevel: "loud" }] };

function problemsOf(props: object): unknown {
  try {
    return new SurveyPoller(new Stack(app, "Bad"), "Surveys", props as SurveyPollerProps);
  } catch (error) {
    return error instanceof ConfigError ? error.problems.map(({ path }) => path) : error;
  }
}
const problems = problemsOf({ sources: [{ baseUrl: "ftp://x", intervall: "1m" }], proxy: "x" });

const types = Object.values(Resources as Record<string, { Type: string }>).map(({ Type }) => Type);
console.log(JSON.stringify({ types, problems, detailType: DETAIL_TYPE }));
