import { toSurveyService } from "../../../../lib/service/survey-service.ts";
import { createSurveyApi, type SurveyApiError } from "../../../../lib/survey-api/index.ts";

// A process that asks for the same thing several times at once, and tells what became of each call.

const [url = "", operation, calls] = process.argv.slice(2);
const api = createSurveyApi({ baseUrl: url, credentials: { clientId: "test", clientSecret: "test" } });
const service = toSurveyService(api);
const call = async (): Promise<string> => {
  const records = operation === "page" ? await service.page(1, 1, "asc") : await service.surveys();
  return Array.isArray(records) ? `${records.length} read` : records.kind;
};
const told = await Promise.all(
  Array.from({ length: Number(calls) }, () => call().catch((error: SurveyApiError) => error.message)),
);
process.send?.(told, () => void api.close());
