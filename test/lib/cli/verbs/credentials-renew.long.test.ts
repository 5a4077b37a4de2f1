import { expect, it } from "vitest";
import type { RenewAnswer } from "../../../../lib/cli/verbs/credentials.ts";
import { readSecret } from "../../../../lib/secrets/secret-values.ts";
import { answerOf, poll, polledFolder, survey } from "../support/command.ts";
import { inAws } from "../support/folder-aws.ts";

/** The token as the folder has it. */
async function tokenOf(data: string): Promise<{ token: string; expiresAt: number }> {
  const text = await inAws(data, ({ clients }) => readSecret(clients.secrets, "survey-poller/main/token"));
  return JSON.parse(text ?? "") as { token: string; expiresAt: number };
}

it("renews the token of a source, and the next tick uses the new one", async () => {
  const folder = await polledFolder({
    surveys: [{ surveyId: 7, responses: 3 }],
    settings: { newTokenRevokesOlder: true },
  });
  const { data, simulator } = folder;
  const before = await tokenOf(data);
  simulator.resetCounters();

  // A dry run asks nobody.
  const dry = await survey(["credentials", "renew", "--data", data, "--json"]);
  expect(answerOf<RenewAnswer>(dry)).toMatchObject({ dryRun: true, source: "main", expiresAt: null });
  expect(dry.stderr).toContain("Dry run: nothing was changed.");
  expect(simulator.counters().requests).toBeUndefined();

  const ran = await survey(["credentials", "renew", "--data", data, "--yes", "--json"]);
  const now = await tokenOf(data);
  expect(ran.code).toBe(0);
  expect(now.token).not.toBe(before.token);
  expect(answerOf<RenewAnswer>(ran)).toMatchObject({
    ...{ dryRun: false, secretId: "survey-poller/main/token", expiresAt: now.expiresAt },
    shape: expect.stringContaining("{ token: string("),
  });
  const said = await survey(["credentials", "renew", "--data", data]);
  expect(said.stdout).toMatch(/into survey-poller\/main\/token in the place of one of \d+ s ago\.$/m);
  for (const { token } of [before, now]) expect(ran.stdout + ran.stderr).not.toContain(token);
  expect(simulator.counters()).toMatchObject({ requests: 1, token: 1 });

  await poll(folder);
  expect(simulator.counters()).toMatchObject({ token: 1 });
  expect(simulator.counters()["status:400"]).toBeUndefined();

  // The service refuses the credentials: the old token stays.
  simulator.fault({ kind: "status", status: 401, operation: "token" });
  const refused = await survey(["credentials", "renew", "--data", data, "--yes", "--json"]);
  expect(refused.code).toBe(4);
  expect(refused.json).toMatchObject({ error: { code: "WRONG_CREDENTIALS" } });
  expect(await tokenOf(data)).toEqual(now);
}, 60_000);
