import * as z from "zod";
import { baseUrlProblem } from "../survey-api/base-url.ts";
import { flag, section } from "./fields.ts";
import { sourceSchema } from "./source.ts";

const BUS = 'must be 1 to 256 letters, digits, ".", "-" or "_", and neither "default" nor begin with "aws."';
const busName = z.string({ error: BUS }).regex(/^(?!default$|aws\.)[A-Za-z0-9._-]{1,256}$/, { error: BUS });

const EMAIL = "must be an e-mail address";
const WEBHOOK_NAME = 'must be 1 to 64 letters, digits, "-" or "_"';
const WEBHOOK_URL = "must be an https:// URL without credentials in it";

const webhook = section({
  name: z.string({ error: WEBHOOK_NAME }).regex(/^[A-Za-z0-9_-]{1,64}$/, { error: WEBHOOK_NAME }),
  url: z.string({ error: WEBHOOK_URL }).refine(isWebhookUrl, { error: WEBHOOK_URL }),
  where: z.record(z.string(), z.unknown(), { error: "must be an event pattern, an object" }).optional(),
});

/** The schema of a whole configuration in its long form, `{ "sources": […], … }`. */
export function configSchema(options: { deployed: boolean }) {
  return section({
    sources: z
      .array(sourceSchema(options), { error: 'must be a list of sources, each at least { "baseUrl": "https://…" }' })
      .nonempty({ error: "must hold at least one source" }),
    bus: section({ name: busName.prefault("survey-poller") }).prefault({}),
    monitoring: section({
      email: z.email({ error: EMAIL }).optional(),
      alarms: flag().prefault(true),
      dashboard: flag().prefault(true),
    }).prefault({}),
    webhooks: z.array(webhook, { error: "must be a list of webhooks" }).prefault([]),
  });
}

/** The address of a webhook may carry a key in its query: such addresses are common, so a query is allowed. */
function isWebhookUrl(text: string): boolean {
  if (!URL.canParse(text) || new URL(text).protocol !== "https:") return false;
  const url = new URL(text);
  url.search = "";
  return baseUrlProblem(url.href) === undefined;
}
