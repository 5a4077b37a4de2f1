import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createClients } from "../../../lib/aws/clients.ts";
import { parseConfig } from "../../../lib/config/index.ts";
import { secretNames } from "../../../lib/config/secret-names.ts";
import { fillCredentials, names, provision } from "../../../lib/local/runner/provision.ts";
import { type TickSummary, tick } from "../../../lib/polling/index.ts";
import { createSourceGraph, eventsOf } from "../../../lib/run/wiring.ts";

/** Milliseconds that a tick may take. */
const HOUR = 3_600_000;

/** The poller of one source as the function wires it, with the SDK's clients, against the services named in the environment. */
export async function createAwsPoller(url: string, settings: Record<string, unknown> = {}) {
  const raw = { name: "main", baseUrl: url, startFrom: "beginning", ...settings };
  const { sources, events } = parseConfig(raw, { deployed: false });
  const [source] = sources;
  if (source === undefined) throw new Error("no source");
  const secrets = { prefix: names.secrets };
  await provision({ bus: "bench", sources });
  await fillCredentials(secretNames(source, secrets).credentials, { clientId: "bench", clientSecret: "bench" });
  const clients = createClients();
  const environment = { tableName: names.table, busName: "bench", claimCheckBucket: names.bucket, secrets };
  const graph = createSourceGraph({ ...source, events: eventsOf(events) }, environment as never, clients);
  const used = countUnits(clients.dynamodb);
  const tickOnce = async (): Promise<TickSummary> => {
    const deadline = Date.now() + HOUR;
    const { service, source } = graph;
    const ports = graph.begin(deadline);
    const summary = await tick({ ports, source, service, owner: "bench", deadline, ownTime: HOUR });
    await graph.settle();
    return summary;
  };
  return {
    tick: tickOnce,
    /** Request units of DynamoDB used so far, as its answers say. */
    units: () => ({ ...used }),
    /** Ticks until nothing is unfinished. */
    async settle() {
      for (let isSettled = false; !isSettled; ) {
        const { surveys, unpolled } = await tickOnce();
        isSettled = unpolled === 0 && surveys.every(({ unfinished }) => !unfinished);
      }
    },
    close() {
      for (const client of [clients.dynamodb, clients.events, clients.secrets]) client.destroy();
    },
  };
}

interface Consumed {
  TableName?: string;
  CapacityUnits?: number;
}

const WRITES = new Set(["UpdateItemCommand", "PutItemCommand", "DeleteItemCommand", "BatchWriteItemCommand"]);

/** Lets DynamoDB say with each answer what it cost. */
function countUnits(client: DynamoDBDocumentClient): { readUnits: number; writeUnits: number } {
  const used = { readUnits: 0, writeUnits: 0 };
  client.middlewareStack.add(
    (next, context) => async (args) => {
      Object.assign(args.input, { ReturnConsumedCapacity: "TOTAL" });
      const answer = await next(args);
      const { ConsumedCapacity: consumed } = answer.output as { ConsumedCapacity?: Consumed | Consumed[] };
      const units = [consumed ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
      used[WRITES.has(String(context.commandName)) ? "writeUnits" : "readUnits"] += units;
      return answer;
    },
    { step: "initialize", name: "countUnits" },
  );
  return used;
}
