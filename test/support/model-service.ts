import * as definition from "../../lib/events/build/definition.ts";
import type { Model } from "../../lib/local/simulator/model.ts";
import { findRoute } from "../../lib/local/simulator/routes.ts";
import type { SurveyService } from "../../lib/polling/index.ts";
import { NEWS, toSurveyService } from "../../lib/service/survey-service.ts";
import { ServerError } from "../../lib/survey-api/errors.ts";
import type { HttpAnswer } from "../../lib/survey-api/http/transport.ts";
import { createCalls } from "../../lib/survey-api/operations.ts";
import { pathOf } from "../../lib/survey-api/paths.ts";
import type { DataRequest } from "../../lib/survey-api/token/authorized.ts";

/** The simulated service as polling meets it: read by the client's own code, without a wire, and at once. */
export function modelService(model: Pick<Model, "answer">): SurveyService {
  const calls = createCalls(async (request) => answerOf(model, request));
  return toSurveyService(calls, NEWS, undefined, async () => definition);
}

function answerOf<T>(model: Pick<Model, "answer">, { operation, parameters, readBody }: DataRequest<T>): HttpAnswer<T> {
  const route = findRoute("GET", pathOf(operation, parameters));
  if (route === undefined) throw new TypeError(`the service has no operation for ${operation}`);
  const answer = model.answer(route);
  const about = { operation, attempts: 1 };
  const { status } = answer;
  if (status >= 500) throw new ServerError("the service failed", { ...about, status });
  if (status !== 200) return { ...about, status } as HttpAnswer<T>;
  // As it comes over the wire: a field that is undefined is not there.
  return { status, value: readBody(JSON.parse(JSON.stringify(answer.body)), { ...about, status }), attempts: 1 };
}
