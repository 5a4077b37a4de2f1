import * as z from "zod";
import { DETAIL_TYPE, EVENT_TYPES } from "../events/contract.ts";
import { baseUrlProblem } from "../survey-api/base-url.ts";
import { duration, oneOf, section, wholeNumber } from "./fields.ts";
import { DAY, MINUTE } from "./units.ts";

const NAME = 'must be 1 to 64 letters, digits, "-" or "_"';
const URL_RULE = "must be an https:// URL without credentials in it";
const HEADER = 'must be the name of a request header, such as "x-api-key"';
const TYPES = "must be a list of at least one type of event";
const SECRET =
  'must be the name of a secret in Secrets Manager: letters, digits and "/_+=.@-", not its ARN and not its value';

const type = oneOf("header", "bearer", "basic");
const secret = z.string({ error: SECRET }).regex(/^[A-Za-z0-9/_+=.@-]{1,512}$/, { error: SECRET });

/** How an endpoint knows the caller: by the name of a secret only, whose value is read at each delivery. */
export type WebhookAuth =
  | { type: "header"; header: string; secret: string }
  | { type: "bearer" | "basic"; secret: string };

const auth = section({
  type,
  // What says how a request is sent, and what each one carries anyway.
  header: z
    .string({ error: HEADER })
    .regex(
      /^(?!(?:authorization|host|content-length|content-type|connection|expect|keep-alive|transfer-encoding|upgrade|user-agent|webhook-.*|x-survey-poller)$)[A-Za-z0-9-]{1,64}$/i,
      {
        error: `${HEADER}; for "authorization" there are the types "bearer" and "basic"`,
      },
    )
    .optional(),
  secret,
}).transform((given, context): WebhookAuth => {
  if (given.type === "header") return { type: "header", header: given.header ?? "x-api-key", secret: given.secret };
  if (given.header === undefined) return { type: given.type, secret: given.secret };
  context.addIssue({ code: "custom", path: ["header"], message: 'goes with the type "header" only' });
  return z.NEVER;
});

const webhook = section({
  name: z.string({ error: NAME }).regex(/^[A-Za-z0-9_-]{1,64}$/, { error: NAME }),
  url: z.string({ error: URL_RULE }).refine(isWebhookUrl, { error: URL_RULE }),
  types: z
    .array(oneOf(...EVENT_TYPES), { error: TYPES })
    .min(1, { error: TYPES })
    .prefault([DETAIL_TYPE]),
  where: z
    .record(z.string(), z.unknown(), {
      error: 'must be a pattern on the event\'s detail, such as { "data": { "surveyId": [1] } }',
    })
    .optional(),
  auth: auth.optional(),
  signing: section({ secret }).optional(),
  // 300 a second is what an account may have without asking AWS for more.
  ratePerSecond: wholeNumber(1, 300).prefault(10),
  retry: section({
    maxAge: duration({ min: MINUTE, max: DAY, whole: 1000 }).prefault("1d"),
    attempts: wholeNumber(0, 185).prefault(185),
  }).prefault({}),
});

export const webhooksSchema = z.array(webhook, { error: "must be a list of webhooks" });

/** The address of a webhook may hold a key in its query: such addresses are common, so a query is allowed. */
function isWebhookUrl(text: string): boolean {
  // Characters that an address holds as they are, and no more than servers take.
  if (!/^https:\/\/[A-Za-z0-9%().!~';/?:@&=+$,_-]{1,2000}$/i.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  url.search = "";
  return baseUrlProblem(url.href) === undefined;
}
