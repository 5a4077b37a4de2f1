import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import type { Heard } from "../../../../lib/cli/hearing/event.ts";
import { makeTemporaryRule, prolong, sweepExpired } from "../../../../lib/cli/hearing/temporary-rules.ts";
import type { Target } from "../../../../lib/cli/target/target.ts";
import type { EventEnvelope } from "../../../../lib/local/aws/index.ts";
import { answerOf, survey } from "../support/command.ts";
import { inAws } from "../support/folder-aws.ts";
import { runningFolder, useRunningFolder } from "../support/running-folder.ts";

const COMMAND = join(import.meta.dirname, "../../../../lib/cli/bin/survey-poller.mjs");

const test = useRunningFolder();

const tail = (...args: string[]) => survey(["tail", "--data", test.folder.data, ...args]);
const trigger = (kind: string) => survey(["trigger", kind, "--data", test.folder.data, "--yes"]);

async function nothingIsLeft(): Promise<void> {
  expect(test.folder.rules()).toEqual([]);
  expect(await test.folder.queues()).toEqual([]);
}

const withTarget = <T>(work: (target: Target) => Promise<T>): Promise<T> =>
  inAws(test.folder.data, ({ target }) => work(target));

describe("a line", () => {
  it("says what an event is, and nothing of what was answered; then the rule and its queue are gone", async () => {
    const running = tail("--count", "4");
    await test.folder.heardBy(1);
    for (const kind of ["detractor", "incomplete", "updated", "books"]) await trigger(kind);

    const ran = await running;

    const lines = ran.stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.slice("00:00:00  ".length))).toEqual([
      "response.completed  After a visit (103)  response 46375  NPS 2 detractor  lag 2 min  head  test",
      "response.completed  After a visit (103)  response 46378  lag 2 min  backlog  incomplete: metadata:absent, metrics:gave-up, questions:gave-up  test",
      "response.updated    After a visit (103)  response 46374  NPS 9 promoter  rescan  revision 2  test",
      "books.closed        After a visit (103)  12 listed, 2 emitted  test",
    ]);
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d {2}/);
    expect(ran.stderr).toMatch(
      /^Listening on the bus surveys .* since \d\d:\d\d:\d\d UTC\.\nHeard 4 events in \d+ s\.\n$/,
    );
    expect(ran.code).toBe(0);
    await nothingIsLeft();
  });
});

describe("--json", () => {
  const personal = /customer-1042|203\.0\.113|shop\.example|Firefox|The coffee was cold|"Polish"/;

  it("is the whole envelope, with null for what may be personal, or as it is with --reveal", async () => {
    const running = tail("--json", "--count", "1");
    const revealing = tail("--json", "--reveal", "--count", "1");
    await test.folder.heardBy(2);
    await trigger("comment");

    const ran = await running;

    const { detail } = answerOf<Heard>(ran);
    expect(ran.stdout).not.toMatch(personal);
    expect(ran.stderr.match(/Personal fields are null/g)).toHaveLength(1);
    expect(detail.meta).toMatchObject({ test: true, complete: true });
    expect(detail.data).toMatchObject({
      responseId: 46376,
      summary: { nps: { class: "promoter" } },
      response: { hasComment: true, answerCount: 3, crk: null, country: null },
      metadata: { ip: null, referrer: null },
    });
    const answers = detail.data.answers as Record<string, unknown>[];
    expect(answers[0]).toMatchObject({ questionId: 421997, comment: null, answer: null, labels: null, score: null });
    expect(answers[0]?.question).toMatchObject({ text: "How was it?" });

    const { schemaVersion, ...event } = (await revealing).json as EventEnvelope & { schemaVersion: number };
    expect(schemaVersion).toBe(1);
    expect(event).toEqual(test.folder.events.at(-1));
    expect(JSON.stringify(event)).toMatch(personal);
  });
});

describe("the temporary rule", () => {
  it("alone may send to its queue, which keeps nothing for long", async () => {
    const { name, attributes } = await inAws(test.folder.data, async ({ target, sqs }) => {
      const rule = await makeTemporaryRule(target, { pattern: { source: ["x"] }, now: 0 });
      const asked = new GetQueueAttributesCommand({ QueueUrl: rule.queueUrl, AttributeNames: ["All"] });
      return { name: rule.name, attributes: (await sqs.send(asked)).Attributes ?? {} };
    });

    expect(attributes.MessageRetentionPeriod).toBe("300");
    expect(JSON.parse(attributes.Policy ?? "").Statement).toEqual([
      {
        Sid: "OnlyThisRule",
        Effect: "Allow",
        Principal: { Service: "events.amazonaws.com" },
        Action: "sqs:SendMessage",
        Resource: attributes.QueueArn,
        Condition: { ArnEquals: { "aws:SourceArn": `arn:aws:events:us-east-1:000000000000:rule/surveys/${name}` } },
      },
    ]);
    expect(await withTarget((target) => sweepExpired(target, Date.now()))).toEqual([name]);
    await nothingIsLeft();
  });

  it("goes after Ctrl-C: exit code 130", async () => {
    const stop = new AbortController();
    const running = survey(["tail", "--data", test.folder.data], { signal: stop.signal });
    await test.folder.heardBy(1);
    stop.abort();

    expect(await running).toMatchObject({ code: 130, stdout: "" });
    await nothingIsLeft();
  });

  it("goes when the reader of the pipe has seen enough, as head has: exit code 0, and no word of it", async () => {
    const child = spawn(process.execPath, [COMMAND, "tail", "--data", test.folder.data]);
    const said = text(child.stderr);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await test.folder.heardBy(1);
    child.stdout.destroy();
    await trigger("detractor");

    expect(await ended).toBe(0);
    expect(await said).toMatch(/^Listening on .*\n$/);
    await nothingIsLeft();
  });

  it("goes after an error", async () => {
    const fault = test.folder.aws.faults.add({ service: "sqs", operation: "ReceiveMessage", kind: "error" });
    const ran = await tail();
    fault.remove();

    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toContain("the queue could not be read");
    await nothingIsLeft();
  });

  it("of a killed command goes once its time is over, at the next start; one that is prolonged stays", async () => {
    const [killed, alive] = await withTarget(async (target) => {
      const longAgo = Date.now() - 3_600_000;
      const make = () => makeTemporaryRule(target, { pattern: { source: ["x"] }, now: longAgo });
      const rules = [await make(), await make()];
      const [, second] = rules;
      if (second !== undefined) await prolong(target, second.queueUrl, Date.now());
      return rules.map(({ name }) => name);
    });

    const ran = await tail("--for", "1s");

    expect(ran.stderr).toContain(`Removed what a killed command had left: ${killed}.`);
    expect(test.folder.rules()).toEqual([alive]);
    expect(await test.folder.queues()).toEqual([alive]);
    expect(await withTarget((target) => sweepExpired(target, Date.now() + 3_600_000))).toEqual([alive]);
  });

  it("is prolonged while it is heard", async () => {
    const counted = (operation: string) => test.folder.aws.counters()[`sqs:${operation}`] ?? 0;
    const [taken, prolonged] = [counted("DeleteMessageBatch"), counted("TagQueue")];
    let clock = Date.now();
    const running = survey(["tail", "--data", test.folder.data, "--count", "2"], { now: () => clock });
    await test.folder.heardBy(1);
    clock += 400_000;
    await trigger("minimal");
    await expect.poll(() => counted("DeleteMessageBatch"), { interval: 20 }).toBe(taken + 1);
    await trigger("minimal");

    expect((await running).code).toBe(0);
    expect(counted("TagQueue")).toBe(prolonged + 1);
  });
});

describe("--filter", () => {
  it("is each command's own: two at once do not disturb each other", async () => {
    const pattern = '{"detail":{"data":{"summary":{"nps":{"class":["detractor"]}}}}}';
    const detractors = tail("--count", "1", "--filter", pattern);
    const books = tail("--count", "1", "--filter", '{"detail-type":["books.closed"]}');
    await test.folder.heardBy(2);
    for (const kind of ["promoter", "books", "detractor"]) await trigger(kind);

    expect((await detractors).stdout).toContain("response 46375");
    expect((await books).stdout).toContain("books.closed");
    await nothingIsLeft();
  });

  it("may match nothing: it ends at its time, and says so", async () => {
    const running = tail("--for", "1s", "--filter", '{"detail":{"data":{"surveyId":[1]}}}');
    await test.folder.heardBy(1);
    await trigger("detractor");

    expect(await running).toMatchObject({ code: 0, stdout: "" });
    expect((await running).stderr).toContain("Heard 0 events in 1 s.");
  });
});

it("says that there is nothing to hear where no run is at work, and ends with a run that ends: exit code 3", async () => {
  const other = await runningFolder();
  const running = survey(["tail", "--data", other.data]);
  await other.heardBy(1);
  await other.aws.close();

  const ended = await running;
  expect(ended).toMatchObject({ code: 3, stdout: "" });
  expect(ended.stderr).toContain(`the run on the data folder ${other.data} has ended`);

  const ran = await survey(["tail", "--data", other.data, "--json"]);
  expect(ran).toMatchObject({ code: 3, json: { error: { code: "NO_RUN_AT_WORK" } } });
  await other[Symbol.asyncDispose]();
});
