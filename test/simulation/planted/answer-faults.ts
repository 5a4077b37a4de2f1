import type { PlantedFault } from "./plant.ts";

/** Faults in what is made of the service's answers. */
export const answerFaults: readonly PlantedFault[] = [
  {
    name: "the metadata of another response are taken for ours",
    breaks: ["content"],
    file: "../survey-api/bodies/subject.ts",
    find: 'if (own.length === 0 && responses.some((id) => isOther(id, "responseId"))) throw mismatch("response", about);',
    replace: "",
  },
  {
    name: "of several metadata the first are taken",
    breaks: ["content"],
    file: "../survey-api/bodies/subject.ts",
    find: "own.length === elements.length ? body : own;",
    replace: "own.length > 0 ? body : own;",
  },
  {
    name: "a page of another survey is taken for ours",
    breaks: ["content"],
    file: "../survey-api/bodies/subject.ts",
    find: 'if (idsOf("surveyId").some((id) => isOther(id, "surveyId"))) throw mismatch("survey", about);',
    replace: "",
  },
  {
    name: "an error body is taken for metrics",
    breaks: ["content"],
    file: "../survey-api/bodies/read-body.ts",
    find: "if (values.length > 0 && !values.some(isValue)) throw unreadable(body, about, []);",
    replace: "",
  },
  {
    name: "metrics in a list are taken for none",
    breaks: ["content"],
    file: "../events/build/read-details.ts",
    find: 'if (typeof read !== "object" || read === null) return undefined;',
    replace: 'if (typeof read !== "object" || read === null || Array.isArray(read)) return undefined;',
  },
  {
    name: "six points are those of a passive",
    breaks: ["content"],
    file: "../events/build/figures.ts",
    find: "score >= 7",
    replace: "score >= 6",
  },
  {
    name: "an event does not say which survey it is from",
    breaks: ["content"],
    file: "survey/poll-survey.ts",
    find: "if (listed?.facts) mark.survey = { ...listed, facts: listed.facts };",
    replace: "",
  },
  {
    name: "labels count from 1 whatever the survey says",
    breaks: ["content"],
    file: "../events/build/words.ts",
    find: "choices[index - base]",
    replace: "choices[index - 1 + 0 * base]",
  },
  {
    name: "words of a later edition are called certain",
    breaks: ["content"],
    file: "../events/build/words.ts",
    find: "(asUtc(modified) ?? 0) + MARGIN >= (asUtc(started.local) ?? 0)",
    replace: "false",
  },
  {
    name: "an old survey list is believed to show the edition",
    breaks: ["content"],
    file: "../events/build/words.ts",
    find: "if (detectedAt - listedAt > JUST_LISTED && latest >= listedAt) return true;",
    replace: "",
  },
  {
    name: "questions are waited for without end",
    breaks: ["late", "liveness: left"],
    file: "publish/definition.ts",
    find: "fail.at - fail.since >= patience",
    replace: "fail.at - fail.since >= 1_000 * patience",
  },
  {
    name: "a detail that hangs keeps the others waiting",
    breaks: ["late", "waits"],
    file: "publish/pipeline.ts",
    find: "const stop = ctx.ports.clock.every(PERIOD, ",
    replace: "const stop = ctx.ports.clock.every(1_000 * PERIOD, ",
  },
];
