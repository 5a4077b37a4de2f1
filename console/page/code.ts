import type { Envelope } from "./envelope.ts";

export const LANGUAGES = ["TypeScript", "Python", "Java"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A handler for the event that is open: it can be put into a function as it is. */
export function handlerFor(language: Language, { detail, "detail-type": type }: Envelope): string {
  const { surveyId = 0, survey, summary } = detail.data ?? {};
  const what = { surveyId, name: survey?.name ?? `survey ${surveyId}`, npsClass: summary?.nps?.class ?? "", type };
  return { TypeScript: typescript, Python: python, Java: java }[language](what);
}

interface What {
  surveyId: number;
  name: string;
  npsClass: string;
  type: string;
}

function typescript({ surveyId, name, npsClass, type }: What): string {
  return `import type { EventBridgeEvent } from "aws-lambda";
import type { ResponseCompleted } from "survey-poller/events";

export async function handler(event: EventBridgeEvent<"${type}", ResponseCompleted>) {
  const { meta, data } = event.detail;
  // The same for every delivery: keep it, and a repeat does nothing.
  if (await isKnown(meta.eventId)) return;

  if (data.surveyId === ${surveyId}${npsClass === "" ? "" : ` && data.summary.nps?.class === "${npsClass}"`}) {
    // ${name}
    console.log("response", data.responseId, data.summary.nps?.score);
  }
  await remember(meta.eventId);
}
`;
}

function python({ surveyId, name, npsClass }: What): string {
  return `def handler(event, context):
    meta, data = event["detail"]["meta"], event["detail"]["data"]
    # The same for every delivery: keep it, and a repeat does nothing.
    if is_known(meta["eventId"]):
        return

    nps = (data.get("summary") or {}).get("nps") or {}
    if data["surveyId"] == ${surveyId}${npsClass === "" ? "" : ` and nps.get("class") == "${npsClass}"`}:
        # ${name}
        print("response", data["responseId"], nps.get("score"))
    remember(meta["eventId"])
`;
}

function java({ surveyId, name, npsClass }: What): string {
  const condition = npsClass === "" ? "" : ` && "${npsClass}".equals(nps.path("class").asText())`;
  return `public class Handler implements RequestHandler<Map<String, Object>, Void> {
  private final ObjectMapper mapper = new ObjectMapper();

  public Void handleRequest(Map<String, Object> event, Context context) {
    JsonNode detail = mapper.valueToTree(event).get("detail");
    JsonNode data = detail.get("data");
    String eventId = detail.get("meta").get("eventId").asText();
    // The same for every delivery: keep it, and a repeat does nothing.
    if (isKnown(eventId)) return null;

    JsonNode nps = data.path("summary").path("nps");
    if (data.get("surveyId").asLong() == ${surveyId}L${condition}) {
      // ${name}
      context.getLogger().log("response " + data.get("responseId") + " " + nps.path("score"));
    }
    remember(eventId);
    return null;
  }
}
`;
}
