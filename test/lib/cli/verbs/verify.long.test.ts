import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CreateTableCommand, DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { CreateBucketCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import type { VerifyAnswer } from "../../../../lib/cli/verbs/verify/verb.ts";
import { eventId } from "../../../../lib/events/index.ts";
import { readEvents, temporaryFolder } from "../../../support/command.ts";
import { answerOf, polledFolder, type Ran, survey } from "../support/command.ts";
import { inAws, queueWith, visible } from "../support/folder-aws.ts";

const LATER = { now: () => Date.now() + 3_600_000 };
const idsOf = (events: readonly { detail: { meta: { eventId: string } } }[]): string[] =>
  events.map(({ detail }) => detail.meta.eventId);

it("finds exactly what a consumer of 10,000 events lacks, and mends it", async () => {
  const file = join(temporaryFolder(), "events.jsonl");
  const { data } = await polledFolder({ surveys: [{ surveyId: 7, responses: 40 }] }, ["--events", file]);
  const real = readEvents(file);
  const others = Array.from({ length: 10_000 - real.length }, (_, i) => 10_000_000 + i);
  const updated = real[12]?.detail.data.responseId ?? 0;
  await inAws(data, async ({ state }) => {
    const common = { state: "emitted", digest: "A".repeat(32), count: 1, revision: 1 } as const;
    const emittedAt = Date.now() - 3_600_000;
    const entries = others.map((id) => ({ id, ...common, eventId: eventId("main", 7, id), emittedAt }));
    for (let i = 0; i < entries.length; i += 500) await state.putEntries(7, entries.slice(i, i + 500));
    const entry = (await state.entries(7, [updated])).get(updated);
    if (entry === undefined) throw new Error("no entry");
    await state.putEntries(7, [{ ...entry, revision: 2, eventId: eventId("main", 7, updated, 2) }]);
  });
  // Of the first twelve ten have never come, and two lie in the dead-letter queue.
  const dead = real.slice(10, 12).map(({ detail: { meta } }) => ({ detail: { meta } }));
  await queueWith(data, "crm-dead", dead);
  const had = [...idsOf(real.slice(12)), ...others.map((id) => eventId("main", 7, id))];
  const line = ["verify", "--data", data, "--ids", "-", "--dlq", "http://127.0.0.1/000000000000/crm-dead"];
  const consumer = (ids: readonly string[]) => ({ input: `${ids.join("\n")}\n`, ...LATER });

  const ran = await survey(line, consumer(had));
  expect(ran.stderr).toBe("");
  const [sentence, ...lines] = ran.stdout.trimEnd().split("\n");
  expect(sentence).toBe("Missing 12 of 10,000: 10 never arrived, 2 in the dead-letter queue; 1 older revision.");
  expect(lines).toHaveLength(13);
  for (const [i, id] of idsOf(real.slice(0, 12)).entries()) {
    expect(lines.find((one) => one.includes(id))).toContain(i < 10 ? "never arrived" : "in the dead-letter queue");
  }
  expect(ran.stdout).toContain(`${eventId("main", 7, updated, 2)}  older revision: 1 instead of 2`);
  expect(ran.code).toBe(5);
  expect(await visible(data, "crm-dead")).toHaveLength(2);

  const planned = await survey([...line, "--resend"], consumer(had));
  expect(planned.code).toBe(5);
  expect(planned.stdout).toMatch(/^Would send 13 events again\.$/m);
  expect(planned.stderr).toContain("Dry run: nothing was changed.");
  expect(readEvents(file)).toHaveLength(real.length);

  const mended = await survey([...line, "--resend", "--yes"], consumer(had));
  expect(mended.stdout).toMatch(/^Sent 13 events again\.$/m);
  expect(mended.code).toBe(0);
  const news = readEvents(file).slice(real.length);
  expect(news.find(({ detail }) => detail.data.responseId === updated)).toMatchObject({
    "detail-type": "response.updated",
    detail: { meta: { revision: 2, replaces: eventId("main", 7, updated), origin: "replay" } },
  });
  const after = await survey(["verify", "--data", data, "--ids", "-"], consumer([...had, ...idsOf(news)]));
  expect(after).toMatchObject({ code: 0, stdout: "Complete. The consumer has all 10,000 events.\n", stderr: "" });
}, 120_000);

it("reads what a consumer has from its file, its table and its bucket", async () => {
  const file = join(temporaryFolder(), "events.jsonl");
  const { data } = await polledFolder({ surveys: [{ surveyId: 7, responses: 12 }] }, ["--events", file]);
  const events = readEvents(file);
  const ids = idsOf(events);
  await inAws(data, async ({ clients: { dynamodb, s3: open } }) => {
    await dynamodb.send(
      new CreateTableCommand({
        TableName: "crm",
        BillingMode: "PAY_PER_REQUEST",
        KeySchema: [{ AttributeName: "key", KeyType: "HASH" }],
        AttributeDefinitions: [{ AttributeName: "key", AttributeType: "S" }],
      }),
    );
    while ((await dynamodb.send(new DescribeTableCommand({ TableName: "crm" }))).Table?.TableStatus !== "ACTIVE");
    const puts = ids.slice(0, 11).map((id) => ({ PutRequest: { Item: { key: `EVENT#${id}`, other: id } } }));
    await dynamodb.send(new BatchWriteCommand({ RequestItems: { crm: puts } }));
    const s3 = await open();
    await s3.send(new CreateBucketCommand({ Bucket: "crm" }));
    for (const id of ids.slice(0, 10)) {
      await s3.send(new PutObjectCommand({ Bucket: "crm", Key: `named/2026/${id}.json.gz`, Body: "x" }));
    }
    await s3.send(new PutObjectCommand({ Bucket: "crm", Key: "inside/part-1", Body: "x" }));
    s3.destroy();
  });
  // As Firehose writes them: one right behind the other.
  const glued = join(temporaryFolder(), "part-1");
  const nine = events.slice(0, 9).map((event) => JSON.stringify(event));
  writeFileSync(glued, nine.join(""));
  const csv = join(temporaryFolder(), "crm.csv");
  const rows = ids.slice(0, 8).map((id) => `"${id}";"x"`);
  writeFileSync(csv, ['"id";"name"', ...rows, ""].join("\n"));
  const missing = async (...args: string[]): Promise<number> => {
    const answer = answerOf<VerifyAnswer>(await survey(["verify", "--data", data, "--json", ...args], LATER));
    expect(answer).toMatchObject({ unknown: [], list: { unreadable: 0 }, expected: 12 });
    return answer.missing.length;
  };

  const asOf = ["--as-of", new Date(LATER.now()).toISOString()];
  expect(await missing("--ids", file, ...asOf)).toBe(0);
  const absent = await survey(["verify", "--data", data, "--dynamodb", "nowhere"]);
  expect(absent.stderr).toMatch(
    /^what the consumer has could not be read \(ResourceNotFoundException\)\. Look at the name/,
  );
  expect(await missing("--dynamodb", "crm")).toBe(1);
  expect(await missing("--dynamodb", "crm:other")).toBe(1);
  expect(await missing("--s3", "s3://crm/named/")).toBe(2);
  expect(await missing("--ids", glued, ...asOf)).toBe(3);
  expect(await missing("--ids", csv, ...asOf)).toBe(4);

  // What was emitted after the list was taken, or a moment before, is not called missing.
  const emittedAt = Date.parse(events[0]?.detail.meta.detectedAt ?? "");
  const asOfThen = (after: number): Promise<Ran> => {
    const time = new Date(emittedAt + after).toISOString();
    return survey(["verify", "--data", data, "--ids", csv, "--as-of", time]);
  };
  const early = /^Not proved: nothing was compared: the list counts as taken on .* UTC, before all 12 events/;
  expect(await asOfThen(-60_000)).toMatchObject({ code: 3, stdout: expect.stringMatching(early) });
  const justNow = /^Not proved: 4 may still be on their way, of 12\. Take the list again in a minute\.$/m;
  expect(await asOfThen(20_000)).toMatchObject({ code: 3, stdout: expect.stringMatching(justNow) });

  const strange = await survey(["verify", "--data", data, "--ids", "-", "--survey", "7"], {
    input: `${ids.join("\n")}\n${ids[0]?.replace(/^./, "g")}`,
    ...LATER,
  });
  expect(strange).toMatchObject({ code: 0, stderr: "1 entry without an event id in standard input.\n" });
  const unknown = await survey(["verify", "--data", data, "--ids", "-"], {
    input: [...ids, eventId("other", 1, 1)].join("\n"),
    ...LATER,
  });
  expect(unknown.code).toBe(0);
  expect(unknown.stderr).toContain(
    `Warning: 1 id of the consumer is of no event that this poller knows (${eventId("other", 1, 1)}).`,
  );
  const wrongColumn = await survey(["verify", "--data", data, "--s3", "s3://crm/inside/"], LATER);
  expect(wrongColumn).toMatchObject({ code: 1, stdout: "" });
  expect(wrongColumn.stderr).toContain("Each object is named by its event id");
}, 120_000);
