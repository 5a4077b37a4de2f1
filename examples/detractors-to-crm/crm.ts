import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { type CrmRequest, type Template, templateOf } from "./templates.ts";
import type { Ticket } from "./ticket.ts";

/** The secret: where the CRM is, and the header that lets in. Salesforce gives that header for the id and secret of a connected app. */
interface Access {
  url: string;
  authorization?: string;
  clientId?: string;
  clientSecret?: string;
}

const TIME_LIMIT = 10_000;
const secrets = new SecretsManagerClient({});
/** Once it was read. No error repeats anything of it. */
let known: { url: string; authorization: string } | undefined;

/** Makes or edits the ticket, and gives the CRM's id of it where that is needed later. `reopens`: also where somebody has solved it. */
export async function putTicket(ticket: Ticket, id: string | undefined, reopens: boolean): Promise<string | undefined> {
  const template = templateOf(process.env.CRM);
  const answer = await send(template.request(ticket, { id, reopens }));
  // The ticket is deleted, or closed for good.
  const isLost = id !== undefined && (answer.status === 404 || answer.status === 422);
  if (!isLost) return idIn(answer, template);
  // Nobody has to see to a customer who is happy now.
  if (!ticket.isDetractor) return id;
  return idIn(await send(template.request(ticket, { lost: id, reopens })), template);
}

async function send({ method, path, headers, body }: CrmRequest): Promise<Response> {
  known ??= await access();
  return await fetch(new URL(path, known.url), {
    method,
    headers: { ...headers, "content-type": "application/json", authorization: known.authorization },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIME_LIMIT),
  });
}

/** @throws Error where the CRM has not taken the ticket */
async function idIn(answer: Response, template: Template): Promise<string | undefined> {
  // HubSpot says by 207 that it has not taken everything.
  if (answer.ok && answer.status !== 207) return template.idIn?.(await answer.json());
  // The key may have been replaced, or have run out: the next attempt reads it anew.
  known = undefined;
  throw new Error(`The CRM answered ${answer.status}. The README says what its secret and its fields must be.`);
}

async function access(): Promise<NonNullable<typeof known>> {
  const { SecretString = "" } = await secrets.send(new GetSecretValueCommand({ SecretId: process.env.SECRET_NAME }));
  const { url, authorization, clientId, clientSecret } = read(SecretString);
  if (authorization !== undefined) return { url, authorization };
  const form = { grant_type: "client_credentials", client_id: clientId ?? "", client_secret: clientSecret ?? "" };
  const answer = await fetch(new URL("/services/oauth2/token", url), {
    method: "POST",
    body: new URLSearchParams(form),
    signal: AbortSignal.timeout(TIME_LIMIT),
  });
  if (!answer.ok) throw new Error(`The CRM gave no token: ${answer.status}. Check the connected app of the secret.`);
  const { access_token: token } = (await answer.json()) as { access_token: string };
  return { url, authorization: `Bearer ${token}` };
}

function read(secret: string): Access {
  try {
    const access = JSON.parse(secret) as Access;
    if (URL.canParse(access.url)) return access;
  } catch {
    // What it holds is not repeated.
  }
  throw new Error('The secret is no JSON with a "url". The README shows it.');
}
