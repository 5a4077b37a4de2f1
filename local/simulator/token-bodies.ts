import type { Settings } from "./settings.ts";

/** Operation 1, of which the API document does not show the body. */
export function tokenBody(token: string, settings: Settings): { body: string; type: string } {
  const expires_in = Math.floor(settings.tokenLifetimeMs / 1000);
  switch (settings.tokenBody) {
    case "raw":
      return { body: token, type: "text/plain" };
    case "jsonString":
      return json(token);
    case "token":
      return json({ token });
    case "access_token":
      return json({ access_token: token, token_type: "bearer", expires_in });
    case "accessToken":
      return json({ accessToken: token });
    case "array":
      return json([{ token }]);
    case "nested":
      return json({ token: { access_token: token, expires_in } });
    case "response":
      return json({ response: { token } });
    case "scheme":
      return json({ token: `Bearer ${token}` });
    case "form": {
      const fields = { access_token: token, token_type: "bearer", expires_in: String(expires_in) };
      return { body: new URLSearchParams(fields).toString(), type: "application/x-www-form-urlencoded" };
    }
  }
}

const json = (body: unknown) => ({ body: JSON.stringify(body), type: "application/json" });
