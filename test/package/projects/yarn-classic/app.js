const { App, Stack } = require("aws-cdk-lib");
const { SurveyPoller } = require("survey-poller/infra");

const app = new App({ outdir: "out" });
new SurveyPoller(new Stack(app, "Theirs"), "Surveys", { sources: [{ baseUrl: "https://surveys.example.com" }] });
const { Resources } = app.synth().getStackByName("Theirs").template;
console.log(JSON.stringify({ types: Object.values(Resources).map(({ Type }) => Type) }));
