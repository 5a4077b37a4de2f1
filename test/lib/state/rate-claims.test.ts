import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { createRateClaims } from "../../../lib/state/rate-claims.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();
const NOW = Date.UTC(2026, 2, 10, 12);

function fresh() {
  const source = `source-${randomUUID()}`;
  const table = { client: test.clients.dynamodb, name: test.table };
  return { source, claims: () => createRateClaims(table, source) };
}

const claim = (rate: number, until = NOW + 4_000) => ({ rate, burst: 5, weight: 1, until });

describe("claims", () => {
  it("are seen by every other worker of the source, as they were renewed last", async () => {
    const { claims } = fresh();
    expect(await claims().put("a", claim(10), NOW)).toEqual(new Map());
    expect(await claims().put("b", claim(20), NOW)).toEqual(new Map([["a", claim(10)]]));
    await claims().put("b", claim(25), NOW);
    expect(await claims().put("a", claim(10), NOW)).toEqual(new Map([["b", claim(25)]]));
    expect(await fresh().claims().put("c", claim(1), NOW)).toEqual(new Map());
  });

  it("are gone when they were removed, and when they have run out", async () => {
    const { claims } = fresh();
    await claims().put("a", claim(10), NOW);
    await claims().put("b", claim(20), NOW);
    await claims().remove("a");
    expect(await claims().put("c", claim(1), NOW)).toEqual(new Map([["b", claim(20)]]));
    expect(await claims().put("c", claim(1, NOW + 9_000), NOW + 4_001)).toEqual(new Map());
  });

  it("that have run out leave the item with the next write of whoever saw them", async () => {
    const { claims, source } = fresh();
    for (const name of ["a", "b"]) await claims().put(name, claim(10), NOW);
    const later = NOW + 60_000;
    const worker = claims();
    await worker.put("c", claim(1, later + 4_000), later);
    await worker.put("c", claim(1, later + 5_000), later);
    const { Attributes: item = {} } = await test.clients.dynamodb.send(
      new UpdateCommand({
        TableName: test.table,
        Key: { pk: `SOURCE#${source}`, sk: "SHARED" },
        UpdateExpression: "SET probe = :yes",
        ExpressionAttributeValues: { ":yes": true },
        ReturnValues: "ALL_NEW",
      }),
    );
    expect(Object.keys(item).filter((name) => name.startsWith("claim/"))).toEqual(["claim/c"]);
  });

  it("that are none are passed over", async () => {
    const { claims, source } = fresh();
    for (const [name, value] of Object.entries({
      odd: "text",
      none: null,
      less: { rate: -1, burst: 1, weight: 1, until: NOW },
    })) {
      await test.clients.dynamodb.send(
        new UpdateCommand({
          TableName: test.table,
          Key: { pk: `SOURCE#${source}`, sk: "SHARED" },
          UpdateExpression: "SET #name = :value",
          ExpressionAttributeNames: { "#name": `claim/${name}` },
          ExpressionAttributeValues: { ":value": value },
        }),
      );
    }
    expect(await claims().put("a", claim(1), NOW)).toEqual(new Map());
  });
});
