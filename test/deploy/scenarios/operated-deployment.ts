import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Heard } from "../../../cli/hearing/event.ts";
import type { AuditAnswer } from "../../../cli/verbs/audit/passes.ts";
import type { SampleAnswer } from "../../../cli/verbs/audit/sample.ts";
import type { BackfillAnswer } from "../../../cli/verbs/backfill.ts";
import type { CredentialsAnswer, RenewAnswer } from "../../../cli/verbs/credentials.ts";
import type { DoctorAnswer } from "../../../cli/verbs/doctor/verb.ts";
import type { ExplainAnswer } from "../../../cli/verbs/explain/story.ts";
import type { ForgetAnswer } from "../../../cli/verbs/forget.ts";
import type { ListenAnswer } from "../../../cli/verbs/listen.ts";
import type { PauseAnswer } from "../../../cli/verbs/pause.ts";
import type { ListAnswer, RedriveAnswer, ShowAnswer } from "../../../cli/verbs/quarantine.ts";
import type { ResendAnswer } from "../../../cli/verbs/resend.ts";
import type { StatusAnswer } from "../../../cli/verbs/status/answer.ts";
import type { TriggerAnswer } from "../../../cli/verbs/trigger.ts";
import type { VerifyAnswer } from "../../../cli/verbs/verify/verb.ts";
import { until } from "../support/until.ts";
import { historyGoesOut, subscribed } from "./events-arrive.ts";
import { firstDeployment } from "./first-deployment.ts";
import { type Given, onStage } from "./open-stage.ts";
import { commandOf, type Operated, tailRules } from "./operated.ts";
import { pageIsServed } from "./page-of-a-stack.ts";
import { allArrived } from "./settled.ts";
import { signedWebhookIsDelivered, signingSecretIsMade } from "./signed-webhook.ts";
import { output } from "./stage.ts";

/** A third deployment, for the operator's command: each verb on a stack. */
export function operatedDeployment(given: Given): Promise<void> {
  return onStage(given, "verbs", async (stage) => {
    const { report } = stage;
    const deployment = await firstDeployment(stage, [stage.signed.config]);
    const subscribers = await subscribed(stage, deployment);
    const command = commandOf(stage);
    const on: Operated = { stage, deployment, subscribers, command };
    report.part("Verbs");
    await credentialsAreFilled(on);
    await signingSecretIsMade(on);
    await historyGoesOut(stage, deployment, subscribers);
    await statusIsTold(on);
    await stackIsDoctored(on);
    await eventsAreHeard(on);
    await signedWebhookIsDelivered(on);
    await pageIsServed(on);
    await eventsAreSentAgain(on);
    await responsesAreMended(on);
    await pollingIsSteered(on);
    await proofIsMade(on);
  });
}

async function credentialsAreFilled({ stage: { report, simulator }, command }: Operated): Promise<void> {
  await report.step(
    "credentials: a dry run writes nothing, --yes fills the secret from standard input",
    async (note) => {
      const { clientId, clientSecret, url } = simulator;
      const input = JSON.stringify({ clientId, clientSecret });
      const dry = (await command(["credentials", "--base-url", url], { input })).json as CredentialsAnswer;
      assert.equal(dry.dryRun, true);
      const wrong = JSON.stringify({ clientId, clientSecret: "not it" });
      await command(["credentials", "--base-url", url, "--yes"], { input: wrong, code: 4 });
      const { json, stdout } = await command(["credentials", "--base-url", url, "--yes"], { input });
      assert.equal((json as CredentialsAnswer).dryRun, false);
      assert.ok(!stdout.includes(clientSecret));
      note(stdout.trim());
    },
  );
}

async function statusIsTold({ stage: { report, simulator }, command }: Operated): Promise<void> {
  await report.step("status: a verdict, and a line for each survey", async (note) => {
    const status = (await command(["status"])).json as StatusAnswer;
    const truth = simulator.truth().length;
    assert.deepEqual([status.verdict, status.listed, status.accounted], ["complete", truth, truth], status.sentence);
    note(status.sentence);
  });
  await report.step(
    "a stack that is not there is told, and a region or credentials that are missing have exit code 4",
    async () => {
      const { stdout } = await command(["status", "--stack", "Nobody", "--json"], { code: 1, asJson: false });
      assert.match(stdout, /STACK_NOT_FOUND/);
      const env = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" };
      const none = await command(["status"], { code: 4, env });
      assert.match(none.stdout, /AWS_CREDENTIALS_MISSING/);
    },
  );
}

async function stackIsDoctored({ stage: { report }, command }: Operated): Promise<void> {
  await report.step("doctor: schedule, alarms, bus, table and the service", async (note) => {
    const doctor = (await command(["doctor"])).json as DoctorAnswer;
    const bad = doctor.checks.filter(({ state }) => state === "fail");
    assert.deepEqual(bad, []);
    for (const line of doctor.checks) note(`${line.state} ${line.check}: ${line.says}`);
    assert.equal(doctor.services.length, 1);
  });
  await report.step("credentials renew: another token, which the next tick takes", async (note) => {
    const renewed = (await command(["credentials", "renew", "--yes"])).json as RenewAnswer;
    assert.equal(renewed.dryRun, false);
    note(`it holds until ${renewed.expiresAt}`);
  });
}

async function eventsAreHeard({ stage, deployment, command }: Operated): Promise<void> {
  const { report, simulator, aws } = stage;
  await report.step("tail: hears what completes meanwhile, and leaves neither rule nor queue", async (note) => {
    const rules = (): Promise<number> => tailRules(aws, output(deployment, "BusName"));
    const hearing = command(["tail", "--count", "1", "--for", "60s", "--filter", "type=response.completed"]);
    await until("tail has made no rule", async () => (await rules()) > 0);
    const [responseId] = simulator.complete(1);
    await aws.invoke(output(deployment, "PollFunctionName"));
    const event = (await hearing).json as Heard;
    assert.equal((event.detail.data as { responseId?: number }).responseId, responseId);
    assert.equal(await rules(), 0);
    note(`${event["detail-type"]} of ${responseId}`);
  });
  await report.step("listen: posts what completes to a consumer on this machine, signed", async (note) => {
    const taken = Promise.withResolvers<IncomingHttpHeaders>();
    const consumer = createServer((request, response) => {
      request.resume().once("end", () => response.end());
      taken.resolve(request.headers);
    });
    await new Promise<void>((resolve) => consumer.listen(0, "127.0.0.1", resolve));
    const { port } = consumer.address() as AddressInfo;
    const args = ["listen", "--forward-to", `http://127.0.0.1:${port}/events`, "--count", "1", "--for", "60s"];
    const listening = command([...args, "--filter", "type=response.completed"]);
    await until("listen has made no rule", async () => (await tailRules(aws, output(deployment, "BusName"))) > 0);
    simulator.complete(1);
    await aws.invoke(output(deployment, "PollFunctionName"));
    const { "webhook-id": id, "webhook-signature": signature } = await taken.promise;
    assert.match(String(signature), /^v1,/);
    (await listening).json as ListenAnswer;
    consumer.close();
    note(`webhook-id ${id}`);
  });
  await report.step("trigger: a test event, also a large one, reaches who subscribes", async (note) => {
    const sent = (await command(["trigger", "detractor", "--yes"])).json as TriggerAnswer;
    (await command(["trigger", "large", "--yes"])).json as TriggerAnswer;
    note(`${sent.type} ${sent.eventId}`);
  });
}

async function eventsAreSentAgain({ stage, subscribers, command }: Operated): Promise<void> {
  const { report, folder } = stage;
  const { everything } = subscribers;
  await everything.drain();
  const real = everything.events.filter(({ detail }) => detail.meta.sourceName === "main");
  const ids = [...new Set(real.map(({ detail }) => detail.meta.eventId))];
  const [dropped = "", ...kept] = ids;
  const file = join(folder, "ids.txt");
  await report.step("verify: exit code 5 names what a consumer lacks, and --resend mends it", async (note) => {
    writeFileSync(file, kept.join("\n"));
    const asOf = new Date(Date.now() + 60_000).toISOString();
    const list = ["verify", "--ids", file, "--as-of", asOf];
    const lacks = (await command(list, { code: 5 })).json as VerifyAnswer;
    assert.deepEqual(
      lacks.missing.map(({ eventId }) => eventId),
      [dropped],
    );
    note(lacks.sentence);
    const sent = (await command([...list, "--resend", "--yes"])).json as VerifyAnswer;
    note(sent.resend?.sentence ?? "");
    await until("it has not come", async () => {
      await everything.drain();
      return everything.events.filter(({ detail }) => detail.meta.eventId === dropped).length > 1;
    });
    const again = everything.events.filter(({ detail }) => detail.meta.eventId === dropped);
    assert.equal(again.at(-1)?.detail.meta.origin, "replay");
    writeFileSync(file, ids.join("\n"));
    assert.equal(((await command(list)).json as VerifyAnswer).verdict, "complete");
  });
  await report.step("resend: the same event once more", async (note) => {
    const dry = (await command(["resend", dropped])).json as ResendAnswer;
    assert.deepEqual([dry.dryRun, dry.events], [true, 1]);
    const done = (await command(["resend", dropped, "--yes"])).json as ResendAnswer;
    note(done.sentence);
  });
  await report.step("resend --from: what was emitted in a stretch of time once more", async (note) => {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const dry = (await command(["resend", "--from", from, "--survey", "1"])).json as ResendAnswer;
    assert.ok(dry.dryRun && dry.events > 0, dry.sentence);
    note(dry.sentence);
  });
}

async function responsesAreMended({ stage, deployment, command }: Operated): Promise<void> {
  const { report, simulator, aws } = stage;
  const poll = (): Promise<unknown> => aws.invoke(output(deployment, "PollFunctionName"));
  await report.step("quarantine: lists what cannot be read, shows it, and puts it back", async (note) => {
    simulator.set({ irregular: { probability: 1, kinds: ["completedMaybe"] } });
    const [responseId = 0] = simulator.complete(2);
    simulator.set({ irregular: { probability: 0 } });
    await poll();
    const listed = (await command(["quarantine", "list"])).json as ListAnswer;
    assert.equal(listed.total, 1);
    note(`${listed.total} set aside: ${listed.groups[0]?.reason}`);
    const shown = (await command(["quarantine", "show", String(responseId)])).json as ShowAnswer;
    assert.equal(shown.id, responseId);
    const dry = (await command(["quarantine", "redrive", "--all"])).json as RedriveAnswer;
    assert.equal(dry.dryRun, true);
    const redriven = (await command(["quarantine", "redrive", "--all", "--yes"])).json as RedriveAnswer;
    // The kept records are as they were: only the list can read otherwise by now.
    assert.equal(redriven.surveys[0]?.left?.unreadable, 1);
    simulator.remove(2, responseId);
  });
  await report.step("forget: a bare entry is left, and what cannot be purged is named", async (note) => {
    const [truth] = simulator.truth(1);
    const id = String(truth?.responseId);
    const dry = (await command(["forget", id, "--survey", "1"])).json as ForgetAnswer;
    assert.equal(dry.dryRun, true);
    const done = (await command(["forget", id, "--survey", "1", "--yes"])).json as ForgetAnswer;
    assert.ok(done.stays !== null && !("digest" in done.stays));
    note(done.elsewhere.map(({ where }) => where).join(", "));
    await poll();
  });
}

async function pollingIsSteered({ stage, deployment, command }: Operated): Promise<void> {
  const { report, simulator, aws } = stage;
  const tick = async (): Promise<string> =>
    JSON.stringify((await aws.invoke(output(deployment, "PollFunctionName"))).payload);
  await report.step("pause: nothing is polled, status says so, and resume lets it go on", async (note) => {
    assert.equal(((await command(["pause"])).json as PauseAnswer).dryRun, true);
    (await command(["pause", "--yes"])).json as PauseAnswer;
    const before = simulator.counters().requests;
    assert.match(await tick(), /pausedUntil/);
    assert.equal(simulator.counters().requests, before);
    // One response is quarantined, which counts for more.
    const status = (await command(["status"], { code: 5 })).json as StatusAnswer;
    assert.match(status.sentence, /Paused/);
    note(status.sentence);
    (await command(["resume", "--yes"])).json as PauseAnswer;
    assert.doesNotMatch(await tick(), /pausedUntil/);
  });
  await report.step("backfill: where everything has gone out there is nothing to do", async (note) => {
    const args = ["backfill", "--survey", "1", "--from", "2020-01-01", "--to", "2030-01-01"];
    const answer = (await command([...args, "--yes"])).json as BackfillAnswer;
    assert.equal(answer.outcome, "nothing");
    note(answer.why ?? "");
  });
}

async function proofIsMade({ stage, deployment, subscribers, command }: Operated): Promise<void> {
  const { report, simulator, aws } = stage;
  await report.step("explain: the story of a response that went out, out of ledger and log", async (note) => {
    const [responseId = 0] = simulator.complete(1);
    await allArrived(stage, deployment, subscribers, { within: 30_000 });
    // A run writes its lines at its end.
    await until("the log has no line of it", async () => {
      const lines = await aws.logs(output(deployment, "PollLogGroupName"));
      return lines.some((line) => line.includes(`"responseId":${responseId},`));
    });
    const story = (await command(["explain", String(responseId)])).json as ExplainAnswer;
    assert.equal(story.verdict, "emitted");
    const steps = story.steps.map(({ what }) => what);
    for (const what of ["completed", "listed", "proved", "bus", "ledger"])
      assert.ok(steps.includes(what as never), JSON.stringify(story));
    note(steps.join(", "));
    await command(["explain", "999999999"], { code: 1 });
  });
  await report.step("audit: a sample states its chance, and a full read at once closes the books", async (note) => {
    const sample = (await command(["audit", "--sample", "50%", "--seed", "1"])).json as SampleAnswer;
    note(JSON.stringify(sample.surveys[0]?.chances));
    const audit = (await command(["audit", "--now", "--yes"])).json as AuditAnswer;
    assert.deepEqual([...new Set(audit.surveys.map(({ outcome }) => outcome))], ["closed"]);
    const truth = simulator.truth().length;
    const listed = audit.surveys.reduce((sum, survey) => sum + (survey.listed ?? 0), 0);
    assert.equal(listed, truth);
    await aws.invoke(output(deployment, "PollFunctionName"));
    // The books are closed, and the one that is quarantined does not go out.
    const status = (await command(["status"], { code: 5 })).json as StatusAnswer;
    assert.deepEqual([status.verdict, status.accounted], ["withheld", status.listed]);
    note(`${listed} listed`);
  });
  await report.step("a command that is interrupted leaves nothing behind it, and ends with 130", async () => {
    const rules = (): Promise<number> => tailRules(aws, output(deployment, "BusName"));
    await command(["tail", "--for", "60s"], { code: 130, interruptWhen: async () => (await rules()) > 0 });
    assert.equal(await rules(), 0);
  });
}
