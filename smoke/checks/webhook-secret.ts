import { hash } from "node:crypto";
import { left, type SmokeCheck } from "../context.ts";
import { mustBe } from "../run/check.ts";
import { recordedBy } from "./large.ts";

export const webhookSecret: SmokeCheck = {
  name: "webhook-secret",
  needs: ["function URLs"],
  after: ["schedule"],
  deadline: 300_000,
  async run(context, { until }) {
    const wanted = hash("sha256", `Bearer ${context.webhookToken}`, "hex");
    const queue = left(context.queue, "the queue");
    const found = await until("a request to the webhook's endpoint", async () => {
      const all = await recordedBy(context, "endpoint");
      return all.length > 0 ? all : undefined;
    });
    const without = found.filter(({ authorization }) => authorization !== wanted).length;
    mustBe(
      without === 0,
      `${without} of ${found.length} requests came without the secret's value`,
      "docs/webhooks.md says how the value gets to EventBridge",
    );
    return `${found.length} requests with the token out of the secret, of ${queue.events.length} events so far`;
  },
};
