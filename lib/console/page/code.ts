import type { Heard } from "../../cli/hearing/event.ts";

export const LANGUAGES = ["TypeScript", "Python", "Java"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A handler for the event that is open, as a function of its own. Powertools sees to it that a repeat does nothing. */
export function handlerFor(language: Language, { detail, "detail-type": type }: Heard): string {
  return { TypeScript: typescript, Python: python, Java: java }[language](whatOf(detail.data, type));
}

type What = ReturnType<typeof whatOf>;

function whatOf({ survey, summary, surveyId = 0 }: Heard["detail"]["data"], type: string) {
  /** Whether the event has the contents of a response. */
  const isContents = type === "response.completed" || type === "response.updated";
  return {
    ...{ type, surveyId, isContents },
    // What others have written must stay within its comment.
    name: (survey?.name ?? `survey ${surveyId}`).replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, " ").replaceAll("\\", "/"),
    npsClass: isContents ? (summary?.nps?.class ?? "") : "",
  };
}

function typescript({ type, surveyId, name, isContents, npsClass }: What): string {
  const condition = npsClass === "" ? "" : ` && data.summary.nps?.class === "${npsClass}"`;
  const said = isContents ? `"response", data.responseId, data.summary.nps?.score` : `"${type}", meta.eventId`;
  return `import { IdempotencyConfig, makeIdempotent } from "@aws-lambda-powertools/idempotency";
import { DynamoDBPersistenceLayer } from "@aws-lambda-powertools/idempotency/dynamodb";
import type { EventBridgeEvent } from "aws-lambda";
import type { DetailOf } from "survey-poller/events";

type Event = EventBridgeEvent<"${type}", DetailOf<"${type}">>;

// Every delivery of an event has the same id.
const config = new IdempotencyConfig({ eventKeyJmesPath: "detail.meta.eventId" });
const persistenceStore = new DynamoDBPersistenceLayer({ tableName: process.env.TABLE_NAME ?? "" });

export const handler = makeIdempotent(
  async ({ detail: { meta, data } }: Event): Promise<void> => {
    // ${name}
    if (data.surveyId === ${surveyId}${condition}) {
      console.log(${said}, meta.detectedAt);
    }
  },
  { config, persistenceStore },
);
`;
}

function python({ type, surveyId, name, isContents, npsClass }: What): string {
  const condition = npsClass === "" ? "" : ` and nps.get("class") == "${npsClass}"`;
  const nps = isContents ? `\n    nps = (data.get("summary") or {}).get("nps") or {}` : "";
  const said = isContents ? `"response", data["responseId"], nps.get("score")` : `"${type}", meta["eventId"]`;
  return `import os

from aws_lambda_powertools.utilities.idempotency import (
    DynamoDBPersistenceLayer,
    IdempotencyConfig,
    idempotent,
)

# Every delivery of an event has the same id.
config = IdempotencyConfig(event_key_jmespath="detail.meta.eventId")
store = DynamoDBPersistenceLayer(table_name=os.environ["TABLE_NAME"])


@idempotent(config=config, persistence_store=store)
def handler(event, context):
    meta, data = event["detail"]["meta"], event["detail"]["data"]${nps}
    # ${name}
    if data["surveyId"] == ${surveyId}${condition}:
        print(${said}, meta["detectedAt"])
`;
}

function java({ type, surveyId, name, isContents, npsClass }: What): string {
  const condition = npsClass === "" ? "" : ` && "${npsClass}".equals(nps.path("class").asText())`;
  const nps = isContents ? `\n    JsonNode nps = data.path("summary").path("nps");` : "";
  const said = isContents
    ? `"response " + data.path("responseId") + " " + nps.path("score")`
    : `"${type} " + detail.path("meta").path("eventId")`;
  return `import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import software.amazon.lambda.powertools.idempotency.Idempotency;
import software.amazon.lambda.powertools.idempotency.IdempotencyConfig;
import software.amazon.lambda.powertools.idempotency.Idempotent;
import software.amazon.lambda.powertools.idempotency.persistence.dynamodb.DynamoDBPersistenceStore;

public class Handler implements RequestHandler<Map<String, Object>, Void> {
  private final ObjectMapper mapper = new ObjectMapper();

  public Handler() {
    // Every delivery of an event has the same id.
    Idempotency.config()
        .withConfig(IdempotencyConfig.builder().withEventKeyJMESPath("detail.meta.eventId").build())
        .withPersistenceStore(
            DynamoDBPersistenceStore.builder().withTableName(System.getenv("TABLE_NAME")).build())
        .configure();
  }

  @Idempotent
  public Void handleRequest(Map<String, Object> event, Context context) {
    JsonNode detail = mapper.valueToTree(event.get("detail"));
    JsonNode data = detail.path("data");${nps}
    // ${name}
    if (data.path("surveyId").asLong() == ${surveyId}L${condition}) {
      context.getLogger().log(${said});
    }
    return null;
  }
}
`;
}
