import { DescribeEventBusCommand } from "@aws-sdk/client-eventbridge";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { ACCOUNT, sourceKey } from "../../../lib/state/keys.ts";
import { tableOf } from "../../target/state.ts";
import { allowed, type Check, ok } from "./check.ts";

/** Checks that the bus is there and answers. Nothing is put on it. */
export const smokeOfBus: Check = ({ target: { clients, resources } }) =>
  allowed("bus", "events:DescribeEventBus", async () => {
    await clients.events.send(new DescribeEventBusCommand({ Name: resources.busName }));
    return ok("bus", `${resources.busName} answers DescribeEventBus`);
  });

/** Checks that the table is there and answers. Nothing is written. */
export const smokeOfTable: Check = ({ target, sources }) =>
  allowed("table", "dynamodb:GetItem", async () => {
    const { client, name } = tableOf(target);
    const [source] = sources;
    if (source === undefined) return [];
    await client.send(new GetCommand({ TableName: name, Key: { pk: sourceKey(source.name), sk: ACCOUNT } }));
    return ok("table", `${name} answers GetItem`);
  });
