import { toSurveyService } from "../../lib/service/survey-service.ts";
import { createSurveyApi } from "../../lib/survey-api/index.ts";

// A process that does nothing but to read the survey list: see ../parts/memory.ts.

const [url = ""] = process.argv.slice(2);
const api = createSurveyApi({ baseUrl: url, credentials: { clientId: "bench", clientSecret: "bench" } });
// With the connection, the token and the code that any request needs.
await api.token();
const before = process.resourceUsage().maxRSS;
const listed = (await toSurveyService(api).surveys()).length;
process.send?.({ listed, bytes: (process.resourceUsage().maxRSS - before) * 1024 });
await api.close();
