import { createService, type ServiceSettings } from "./answer.ts";

/** The survey service behind a function URL. Its settings are in the environment, as JSON. */
export const handler = createService(JSON.parse(process.env.SERVICE ?? "") as ServiceSettings).answer;
