import type { HttpReply } from "./http-server.ts";
import { retryAfterHeader } from "./rate-limit.ts";
import type { RateLimit, Settings } from "./settings.ts";
import { errorBody } from "./unshown-bodies.ts";

interface TypedBody {
  body: string;
  /** The media type. */
  type: string;
}

/** Replies, with the headers that all of them have. */
export interface Replies {
  /** A body exactly as it is given. */
  verbatim(status: number, body: TypedBody): HttpReply;
  /** A body as this service writes it. */
  reply(status: number, body: TypedBody): HttpReply;
  /** A status with the body of an error; `retryAfter` in seconds. A 204 has none. */
  refusal(status: number, retryAfter?: number, form?: RateLimit["retryAfter"]): HttpReply;
}

export function createReplies(settings: () => Settings, now: () => number): Replies {
  // The date of the service's own clock, against which a Retry-After date is to be read.
  const date = () => ({ Date: new Date(now()).toUTCString() });

  function verbatim(status: number, { body, type }: TypedBody): HttpReply {
    // HTTP allows no body here.
    if (status === 204) return { status, headers: date(), body: "", compress: false, contentEncoding: null };
    const { compress, contentEncoding } = settings();
    return {
      status,
      headers: { "Content-Type": `${type}; charset=utf-8`, ...date() },
      body,
      compress,
      contentEncoding,
    };
  }

  function reply(status: number, { body, type }: TypedBody): HttpReply {
    const prefix = type === "application/json" ? prefixes[settings().bodyPrefix] : "";
    return verbatim(status, { body: prefix + body, type });
  }

  return {
    verbatim,
    reply,
    refusal(status, retryAfter, form = "none") {
      const refused = reply(status, errorBody(status, meanings[status] ?? "Error", settings().errorBody));
      const header = retryAfter === undefined ? undefined : retryAfterHeader(retryAfter * 1000, form, now);
      return header === undefined ? refused : { ...refused, headers: { ...refused.headers, "Retry-After": header } };
    },
  };
}

const prefixes: Record<Settings["bodyPrefix"], string> = {
  none: "",
  bom: "\uFEFF",
  twoBoms: "\uFEFF\uFEFF",
  lineThenBom: "\r\n\uFEFF",
};

const meanings: Record<number, string> = {
  400: "Bad request",
  401: "Unauthorized",
  404: "Not found",
  429: "Too many requests",
  500: "Internal server error",
};
