import { html } from "htm/preact";
import type { VNode } from "preact";

/** The words of this project, explained where one points at them or comes to them by the keyboard. */
export const HELP = {
  emitted: "Their event is on the bus.",
  beforeFloor: "Completed before history begins for this poller (startFrom). They get no event.",
  open: "Begun and not completed. They get their event once they are completed.",
  waiting: "The service gives no metrics or metadata of them yet. They are asked for again.",
  held: "Nothing proves their contents yet. They do not go out, and are looked at again.",
  quarantined: "They cannot be read. They do not go out until somebody puts them back.",
  refused: "The bus has refused their event for good.",
  unaccounted: "Listed by the service, and unknown to the ledger. A person has to act.",
  responses: "All responses of which this poller knows the state now.",
  rate: "Requests a second that the service was found to allow. No limit was met yet where it says none.",
  token: "How long ago the token of the service was fetched.",
  head: "Found by reading the newest page of the list.",
  missed: "Completed, listed, and never found.",
  "wrongly sent": "Sent, deleted at the service since, and nobody was told.",
  twice: "Sent more than once.",
  "on the way": "Completed a moment ago, or while the service refuses.",
} as const;

export function Help({ word, children }: { word: keyof typeof HELP; children: unknown }): VNode {
  return html`<abbr tabindex="0" data-help=${HELP[word]} aria-description=${HELP[word]}>${children}</abbr>`;
}
