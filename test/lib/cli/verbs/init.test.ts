import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { expect, it } from "vitest";
import type { InitAnswer } from "../../../../lib/cli/verbs/init.ts";
import { parseConfig } from "../../../../lib/config/index.ts";
import type { Simulator } from "../../../../lib/local/simulator/index.ts";
import { readCredentials } from "../../../../lib/secrets/credentials.ts";
import { temporaryFolder } from "../../../support/command.ts";
import { useAws } from "../../support/aws.ts";
import { answerOf, environmentOf, findsAws, type Ran, simulated, survey } from "../support/command.ts";

const test = useAws();

findsAws(test);

const newFile = (): string => join(temporaryFolder(), "mine.json");
const contents = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

const service = () => simulated({ surveys: [{ surveyId: 7, responses: 30 }] });

const init = (simulator: Simulator, args: string[]): Promise<Ran> =>
  survey(["init", "--base-url", simulator.url, ...args], { environment: environmentOf(simulator) });

it("writes a configuration with what doctor has found, and says what to do next", async () => {
  const simulator = await service();
  const file = newFile();

  const ran = await init(simulator, ["--start-from", "beginning", "--surveys", "7, 8", "--file", file, "--yes"]);

  expect(ran.code).toBe(0);
  const written = contents(file) as never;
  expect(written).toEqual({
    ...{ baseUrl: simulator.url, startFrom: "beginning", timeZone: "UTC", surveys: { include: [7, 8] } },
  });
  expect(parseConfig(written, { deployed: true }).sources[0]?.surveys).toEqual({ include: [7, 8] });
  expect(ran.stdout).toContain(`written: ${file}\n`);
  expect(ran.stdout).toMatch(
    new RegExp(
      [
        "Next:",
        `npx cdk bootstrap -c config=${file}`,
        `npx cdk deploy -c config=${file}`,
        `npx survey-poller credentials --stack SurveyPoller --base-url ${simulator.url} --yes`,
      ].join("\\n *"),
    ),
  );
  expect(ran.stdout + ran.stderr).not.toContain(simulator.clientSecret);
});

it("without --yes writes nothing, and says what it would write", async () => {
  const file = newFile();
  const ran = await init(await service(), ["--file", file, "--json"]);
  const { dryRun, config, secret, replaces } = answerOf<InitAnswer>(ran);
  expect({ dryRun, replaces, stored: secret.stored }).toEqual({ dryRun: true, replaces: false, stored: false });
  expect(config).toMatchObject({ timeZone: "UTC" });
  expect([ran.code, existsSync(file)]).toEqual([0, false]);
  expect(ran.stderr).toContain("Dry run: nothing was changed.");
});

it("never writes over a file, unless it is told to", async () => {
  const simulator = await service();
  const file = newFile();
  writeFileSync(file, "mine");
  const ran = await init(simulator, ["--file", file, "--yes"]);
  expect([ran.code, readFileSync(file, "utf8"), simulator.counters().requests]).toEqual([2, "mine", undefined]);
  expect(ran.stderr).toContain("--force");
  expect((await init(simulator, ["--file", file, "--yes", "--force", "--no-check"])).code).toBe(0);
  expect(contents(file)).toEqual({ baseUrl: simulator.url });
});

it("puts the credentials into the secret of a stack that is there already", async () => {
  const simulator = await service();
  const Name = "Mine/eu/credentials";
  await test.clients.secrets.send(new CreateSecretCommand({ Name }));
  const args = ["--stack", "Mine", "--name", "eu", "--file", newFile(), "--json"];

  const dry = answerOf<InitAnswer>(await init(simulator, args));
  expect(dry.secret).toEqual({ secretId: Name, stored: true });
  await expect(readCredentials(test.clients.secrets, Name, "main")).rejects.toMatchObject({
    code: "CREDENTIALS_MISSING",
  });

  const done = answerOf<InitAnswer>(await init(simulator, [...args, "--yes"]));
  const { clientId, clientSecret } = simulator;
  expect(await readCredentials(test.clients.secrets, Name, "main")).toEqual({ clientId, clientSecret });
  expect(done.next.join("\n")).toMatch(/^npx cdk deploy -c config=\S+ -c stackName=Mine\nnpx survey-poller doctor/);
});

it("writes nothing where the service does not take the credentials", async () => {
  const file = newFile();
  const { url } = await service();
  const environment = { SURVEY_CLIENT_ID: "me", SURVEY_CLIENT_SECRET: "hunter2" };
  const ran = await survey(["init", "--base-url", url, "--file", file, "--yes"], { environment });
  expect([ran.code, existsSync(file)]).toEqual([4, false]);
  expect(ran.stderr).toContain(`Next: survey-poller doctor --base-url ${url}`);
  expect(ran.stderr).not.toContain("hunter2");
});
