import { App, Stack } from "aws-cdk-lib";
import { DETAIL_TYPE } from "survey-poller/events";
import { ConfigError, SurveyPoller, type SurveyPollerProps } from "survey-poller/infra";

const app = new App({ outdir: "out" });
const stack = new Stack(app, "Theirs");
const props: SurveyPollerProps = { sources: [{ baseUrl: "https://surveys.example.com" }] };
new SurveyPoller(stack, "Surveys", props);
const { Resources } = app.synth().getStackByName("Theirs").template;

let problems: unknown;
try {
  new SurveyPoller(new Stack(app, "Bad"), "Surveys", { sources: [{ baseUrl: "ftp://x" }] });
} catch (error) {
  problems = error instanceof ConfigError ? error.problems.map(({ path }) => path) : error;
}
// @ts-expect-error: a source has an address
export const wrong: SurveyPollerProps = { sources: [{ name: "main" }] };

const types = Object.values<{ Type: string }>(Resources).map(({ Type }) => Type);
console.log(JSON.stringify({ types, problems, detailType: DETAIL_TYPE }));
