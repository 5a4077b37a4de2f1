import { metadataShown, metricsAnswer, reportMetricsBody } from "./enrichment.ts";
import type { Answer, OperationContext } from "./operation-context.ts";
import { readPage } from "./page-reads.ts";
import { allRecords, asRead } from "./record-contents.ts";
import type { SimulatedResponse } from "./responses.ts";
import type { Operation, PathParameters, Route } from "./routes.ts";
import type { Survey } from "./survey.ts";
import {
  fullSurvey,
  questionList,
  reportIds,
  reportsBody,
  singleResponseBody,
  surveyListItem,
} from "./survey-bodies.ts";

/** Answers every data request (all but the token), once its headers are found right. */
export function createOperations(context: OperationContext): (route: Route) => Answer {
  const { surveys, settings, counts, hooks, built } = context;
  const enrichmentReads = new Map<string, number>();
  let singleReads = 0;

  function answer(operation: Exclude<Operation, "token">, parameters: PathParameters): Answer {
    const survey = surveys.get(Number(parameters.survey));
    if (operation === "surveys" || operation === "v2-surveys") {
      for (const hook of hooks.lists) hook();
      return ok(Array.from(surveys.values(), (each) => surveyListItem(each, counts, settings())));
    }
    if (survey === undefined) return notFound;
    switch (operation) {
      case "survey":
      case "v2-survey":
        return ok([fullSurvey(survey, settings())]);
      case "questions":
      case "v2-questions":
        return ok(questionList(survey, settings()));
      case "reports":
        return ok(reportsBody(survey, settings()));
      case "report-metrics":
        return reportIds(survey).includes(Number(parameters.report))
          ? ok(reportMetricsBody(survey, settings()))
          : notFound;
      case "responses":
      case "v2-responses":
      case "responses-page":
      case "v2-responses-page":
      case "responses-order":
        return readPage(survey, parameters, context);
      case "response":
      case "v2-response":
        return single(survey, survey.find(Number(parameters.response)));
      case "response-by-crk":
      case "v2-response-by-crk":
        return single(survey, survey.findByCrk(decoded(parameters.crk)));
      case "metrics":
      case "metadata":
      case "v2-metadata":
        return enrichment(survey, Number(parameters.response), operation === "metrics" ? "metrics" : "metadata");
    }
  }

  function single(survey: Survey, response: SimulatedResponse | undefined): Answer {
    if (response === undefined) return notFound;
    singleReads += 1;
    const records = asRead(allRecords(survey, response, settings()), settings(), singleReads);
    built(records.length);
    return ok(singleResponseBody(records, settings().singleResponseBody));
  }

  function enrichment(survey: Survey, responseId: number, which: "metrics" | "metadata"): Answer {
    const response = survey.find(responseId);
    if (response === undefined || (which === "metrics" && response.completedAt === null)) return notFound;
    const reads = countRead(survey, response, which);
    const given =
      which === "metrics"
        ? metricsAnswer(survey, response, settings(), reads)
        : metadataShown(survey, response, reads, context);
    if ("hang" in given) return "hang";
    return "body" in given ? ok(given.body) : given;
  }

  // Only the overrides of a response count reads; for the rest of a million nothing is kept.
  function countRead(survey: Survey, response: SimulatedResponse, which: "metrics" | "metadata"): number {
    if (response.overrides[which] === undefined) return 1;
    const key = `${survey.surveyId}/${response.responseId}/${which}`;
    const reads = (enrichmentReads.get(key) ?? 0) + 1;
    enrichmentReads.set(key, reads);
    return reads;
  }

  return ({ operation, parameters }) => {
    if (operation === "token") throw new Error("the token request is no data request");
    return answer(operation, parameters);
  };
}

const notFound: Answer = { status: 404 };
const ok = (body: unknown): Answer => ({ status: 200, body });

function decoded(crk: string | undefined): string {
  try {
    return decodeURIComponent(crk ?? "");
  } catch {
    return "";
  }
}
