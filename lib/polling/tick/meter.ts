import type { SurveyService } from "../ports.ts";

/** Requests made through a metered service since it was made. */
export interface Meter {
  all: number;
  /** Pages, which slow work is made of; what it finds is asked about as news. */
  pages: number;
}

export const newMeter = (): Meter => ({ all: 0, pages: 0 });

/** Counts the requests made to the service, adding to `meter`. */
export function metered(service: SurveyService, meter: Meter): SurveyService {
  const count = <Args extends unknown[], T>(pages: number, call: (...args: Args) => T) => {
    return (...args: Args): T => {
      meter.all += 1;
      meter.pages += pages;
      return call(...args);
    };
  };
  return {
    surveys: count(0, () => service.surveys()),
    page: count(1, (surveyId, page, order) => service.page(surveyId, page, order)),
    response: count(0, (surveyId, responseId) => service.response(surveyId, responseId)),
    metrics: count(0, (surveyId, responseId) => service.metrics(surveyId, responseId)),
    metadata: count(0, (surveyId, responseId) => service.metadata(surveyId, responseId)),
    definition: count(0, (surveyId, modified) => service.definition(surveyId, modified)),
  };
}
