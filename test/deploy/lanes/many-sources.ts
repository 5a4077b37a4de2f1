import assert from "node:assert/strict";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { compareWithTruth } from "../../wire/support/compare-with-truth.ts";
import { type Deployed, deploy, type Given, onStage, output, writeConfiguration } from "../support/stage.ts";
import { completed } from "../support/ticks.ts";
import { until } from "../support/until.ts";

const NAMES = Array.from({ length: 10 }, (_, index) => `customer-${index}`);
const SECRET = "customers";
const SURVEY = 2;

/** Ten sources in one stack, with one secret: docs/many-accounts.md. */
export function manySources(given: Given): Promise<void> {
  return onStage(given, "many sources", async (stage) => {
    const { report, aws, cdk, simulator } = stage;
    const { clientId, clientSecret, url: baseUrl } = simulator;
    const one = { baseUrl, startFrom: "beginning", timeZone: "UTC", credentialsSecret: SECRET };
    const sourcesOf = (names: readonly string[]) => ({
      sources: names.map((name) => ({ ...one, name, surveys: { include: [SURVEY] } })),
    });
    const SecretString = JSON.stringify(Object.fromEntries(NAMES.map((name) => [name, { clientId, clientSecret }])));
    await aws.secrets.send(new CreateSecretCommand({ Name: SECRET, SecretString }));
    const on = await deploy(stage, sourcesOf(NAMES));
    report.part("Many sources");
    await report.step("each of ten sources gives every response once", async (note) => {
      await untilEachHas(on, NAMES);
      const truth = simulator.truth().filter(({ surveyId }) => surveyId === SURVEY);
      // A loaded emulator may take an event and answer too late: its batch comes again, under the same ids.
      const options = { instants: true, repeats: truth.length };
      for (const source of NAMES)
        assert.deepEqual(compareWithTruth(eventsOf(on, source), truth, { source, ...options }), []);
      note(`${completed(on).length} events`);
    });
    const [gone = "", ...others] = NAMES;
    const deployed = (names: readonly string[]) =>
      cdk.deploy("-c", `config=${writeConfiguration(stage, {}, sourcesOf(names))}`);
    await report.step("one is taken out, the others go on", async () => {
      await deployed(others);
      simulator.complete(SURVEY);
      await untilEachHas(on, others);
    });
    await report.step("it comes back under its name, and repeats nothing", async () => {
      await deployed(NAMES);
      await untilEachHas(on, NAMES);
      const { length } = simulator.truth().filter(({ surveyId }) => surveyId === SURVEY);
      assert.equal(new Set(eventsOf(on, gone).map(({ detail }) => detail.meta.eventId)).size, length);
    });
  });
}

function eventsOf(on: Deployed, source: string) {
  return completed(on, SURVEY).filter(({ detail }) => detail.meta.sourceName === source);
}

/** Starts a tick of each source, until these have an event for each response. */
async function untilEachHas(on: Deployed, names: readonly string[]): Promise<void> {
  const ids = on.simulator.truth().flatMap((one) => (one.surveyId === SURVEY ? [one.responseId] : []));
  const hasAll = async (): Promise<boolean> => {
    await Promise.all(names.map((source) => on.aws.invoke(output(on, "PollFunctionName"), { source })));
    await on.everything.drain();
    return names.every((name) => {
      const heard = new Set(eventsOf(on, name).map(({ detail }) => detail.data.responseId));
      return ids.every((id) => heard.has(id));
    });
  };
  await until("a source lacks events", hasAll, 240_000);
}
