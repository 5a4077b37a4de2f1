import { token } from "./state.ts";

export interface Refused {
  error: string;
}

/** Shows the server the token of the printed URL, without which it gives and does nothing. */
export function withToken(headers: Record<string, string> = {}): Record<string, string> {
  return { "x-console-token": token, ...headers };
}

/** Asks the server for something. */
export async function look<T>(path: string): Promise<T | Refused> {
  return answer(fetch(path, { headers: withToken() }));
}

/** Has the server do something, or show what is personal. */
export async function act<T>(path: string, body: unknown = {}): Promise<T | Refused> {
  const headers = withToken({ "content-type": "application/json" });
  return answer(fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function answer<T>(asked: Promise<Response>): Promise<T | Refused> {
  const response = await asked.catch(() => undefined);
  if (response === undefined) return { error: "The server does not answer." };
  try {
    return (await response.json()) as T | Refused;
  } catch {
    return { error: `The server refuses that (${response.status}).` };
  }
}

export function isRefused(value: object): value is Refused {
  return "error" in value;
}
