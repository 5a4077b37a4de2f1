import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * Why a request is not let in, whatever service it is for; undefined for one of the clients of this run. Any page that the user visits can send
 * one, and so can any other user of the machine.
 */
export function refusalOf(request: IncomingMessage, accessKeyId: string): string | undefined {
  const { host, origin } = request.headers;
  if (origin !== undefined) return "A web page asks here for nothing.";
  if (host !== `127.0.0.1:${request.socket.localPort}`) return "This service has no other name than its address.";
  return isOwn(signer(request), accessKeyId) ? undefined : "The access key is not the one of this run.";
}

/** The access key that a request is signed with. */
export function signer({ headers: { authorization = "" } }: IncomingMessage): string {
  return /Credential=([^/,\s]+)/.exec(authorization)?.[1] ?? "";
}

/** A caller may write its name behind a dot, by which the log of operations tells it apart. */
function isOwn(shown: string, accessKeyId: string): boolean {
  const [key, own] = [Buffer.from(shown.split(".")[0] ?? ""), Buffer.from(accessKeyId)];
  return key.length === own.length && timingSafeEqual(key, own);
}
