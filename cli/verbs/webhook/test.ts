import { randomUUID } from "node:crypto";
import { Option } from "@commander-js/extra-typings";
import { EXIT } from "../../exit-codes.ts";
import { openTarget } from "../../target/open-target.ts";
import { oneSource } from "../../target/target.ts";
import { DRY_RUN, examples, targetVerb, type Verb, yesOption } from "../../verb.ts";
import { type Kind, kinds } from "../trigger/kinds.ts";
import { envelopeOf } from "../trigger/send.ts";
import { testEvent } from "../trigger/test-event.ts";
import type { WebhookTestAnswer } from "./answer.ts";
import { deliver } from "./deliver.ts";
import { findWebhook } from "./find.ts";
import { textOf } from "./text.ts";

const ABOUT = `
The deployed forwarder posts a test event once: by its own code, secrets, network and time limit. No other
subscriber gets it. The rule and the queue before the forwarder are left out; "trigger" tries those.
meta.test is true. Exit code 1: the endpoint did not take it, or a secret is missing.`;

export const testVerb: Verb = (act) =>
  targetVerb("test", "posts a test event to one webhook, and shows how it is answered")
    .argument("<name>", "of a webhook")
    .addOption(new Option("--kind <kind>", "as trigger has them").choices(kinds).default("promoter" as Kind))
    .option("--source <name>", "as this source sends it, where there are several")
    .addOption(yesOption())
    .addHelpText(
      "after",
      ABOUT + examples("webhook test crm --stack SurveyPoller --yes", "webhook test crm --kind large --yes"),
    )
    .action((name, options) =>
      act(options, async (io) => {
        await using target = await openTarget(options, io);
        const { webhook, functionName } = await findWebhook(target, name);
        const source = await oneSource(target, options.source);
        const kind = options.kind as Kind;
        // A consumer passes over an event whose id it has seen.
        const event = testEvent(kind, randomUUID());
        const dryRun = options.yes !== true;
        const body = JSON.stringify(await envelopeOf(target, event, { source, dryRun }));
        if (dryRun) io.say(DRY_RUN);
        const { origin, pathname } = new URL(webhook.url);
        const answer: WebhookTestAnswer = {
          dryRun,
          webhook: name,
          endpoint: `${origin}${pathname}`,
          kind,
          type: event.type,
          eventId: event.detail.meta.eventId,
          delivery: dryRun ? null : await deliver(functionName, body, io),
        };
        const isTaken = answer.delivery === null || answer.delivery.outcome === "taken";
        return { data: answer, text: textOf(answer, io), exit: isTaken ? EXIT.done : EXIT.failed };
      }),
    );
