import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { expect, test } from "vitest";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { type Flags, polledService } from "./support/polled-service.ts";
import { clientOf, withAws } from "./support/with-aws.ts";

const names = Array.from({ length: 10 }, (_, index) => `customer-${index}`);

test("ten sources that share one secret each emit every response once, and one that goes or comes moves no other", async () => {
  const { simulator, folder, poll } = await polledService({ surveys: [{ surveyId: 1, responses: 3 }] });
  const { clientId, clientSecret, url } = simulator;
  const config = join(folder, "config.json");
  const run = (sources: readonly string[], flags: Flags, env?: Record<string, string>) => {
    const one = { baseUrl: url, startFrom: "beginning", credentialsSecret: "customers" };
    writeFileSync(config, JSON.stringify({ sources: sources.map((name) => ({ ...one, name, eventSource: name })) }));
    return poll({ "base-url": undefined, config, ...flags }, env && { env });
  };
  const eventsOf = (events: Awaited<ReturnType<typeof run>>["events"], source: string) =>
    events.filter((event) => event.source === source).map((event) => ({ ...event, source: "survey-poller" }));

  const { events } = await run(names, {});
  for (const source of names)
    expect(compareWithTruth(eventsOf(events, source), simulator.truth(), { source })).toEqual([]);

  // From now on each has an entry of its own, and the run brings no credentials.
  await withAws(join(folder, "data"), async (aws) => {
    const secrets = new SecretsManagerClient(clientOf(aws));
    const SecretString = JSON.stringify(Object.fromEntries(names.map((name) => [name, { clientId, clientSecret }])));
    await secrets.send(new PutSecretValueCommand({ SecretId: "customers", SecretString }));
    secrets.destroy();
  });
  simulator.complete(1, 1);
  const [gone = "", ...others] = names;
  const none = { SURVEY_CLIENT_ID: "", SURVEY_CLIENT_SECRET: "" };
  const later = await run(others, { events: join(folder, "later.jsonl") }, none);
  expect(later.events).toHaveLength(others.length);

  // Under its name again it knows what it has emitted.
  const back = await run(names, { events: join(folder, "back.jsonl") }, none);
  expect(eventsOf(back.events, gone)).toHaveLength(1);
  expect(back.events).toHaveLength(1);
});
