import * as z from "zod";
import { flag, section } from "./fields.ts";

export const DEFAULT_BUS = "survey-poller";

const NAME = 'must be 1 to 256 letters, digits, ".", "-" or "_", and neither "default" nor begin with "aws."';
const name = z.string({ error: NAME }).regex(/^(?!default$|aws\.)[A-Za-z0-9._-]{1,256}$/, { error: NAME });

const PARAMETER =
  'must be the path of a parameter, such as "/surveys/bus-arn": letters, digits, ".", "-", "_" and "/", not beginning with "/aws" or "/ssm"';
const arnParameter = z
  .string({ error: PARAMETER })
  .regex(/^\/(?!aws|ssm)(?:[A-Za-z0-9._-]+\/){0,14}[A-Za-z0-9._-]+$/i, { error: PARAMETER })
  .max(1011, { error: PARAMETER });

const ACCOUNT = 'must be an account id, 12 digits in quotes, such as "123456789012"';
const ORGANIZATION = 'must be the id of an organization, such as "o-a1b2c3d4e5"';

/** Other accounts that may make rules on a bus. */
const sharing = {
  accounts: z
    .array(z.string({ error: ACCOUNT }).regex(/^\d{12}$/, { error: ACCOUNT }), {
      error: "must be a list of account ids",
    })
    // The policy of a bus is at most 10,240 characters, and an account takes about 40 of it.
    .max(150, { error: "must be at most 150 accounts; give the organizationId instead" })
    .prefault([]),
  organizationId: z
    .string({ error: ORGANIZATION })
    .regex(/^o-[a-z0-9]{10,32}$/, { error: ORGANIZATION })
    .optional(),
};

export const subscribersSchema = section(sharing);

/** The bus and what stands beside it. Regions differ in what EventBridge has there, so each of these can be switched off. */
export const busSchema = section({
  name: name.prefault(DEFAULT_BUS),
  // A bus of its own: rights to make rules on it are no rights on the whole events.
  facts: section({ name, ...sharing }).optional(),
  arnParameter: arnParameter.optional(),
  archive: flag().prefault(true),
  schemaRegistry: flag().prefault(true),
  logging: flag().prefault(true),
});
