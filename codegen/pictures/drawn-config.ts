import type { ConfigInput } from "../../lib/config/index.ts";

/** The deployment that is drawn: one source with the defaults. */
export const DRAWN_CONFIG: ConfigInput = {
  sources: [{ baseUrl: "https://surveys.example.com", timeZone: "Europe/Warsaw" }],
};
