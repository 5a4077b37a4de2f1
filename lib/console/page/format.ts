import type { Signal } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { span as wholeSpan } from "../../cli/words.ts";
import { place } from "./place.ts";

// How figures are said. As the command says them.

export { ago, figure } from "../../cli/words.ts";

/** "14:03:10", in the zone that is chosen. */
export function clock(at: number): string {
  const zone = place.value.zone === "utc" ? { timeZone: "UTC" } : {};
  return new Date(at).toLocaleTimeString("en-GB", zone);
}

/** "1.2 s", "48 ms", "3 min". */
export function span(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  return milliseconds < 60_000 ? `${(milliseconds / 1_000).toFixed(1)} s` : wholeSpan(milliseconds);
}

/** Milliseconds for which a button says that it has copied. */
const SAYS = 1_500;

/** A button that copies a text, and says so. */
export function Copy({ text, label = "Copy" }: { text: string; label?: string }): VNode {
  const [said, say] = useState("");
  const copy = async (): Promise<void> => {
    const copied = navigator.clipboard.writeText(text).then(() => "Copied");
    say(await copied.catch(() => "Not copied"));
    setTimeout(() => say(""), SAYS);
  };
  return html`<button onClick=${copy}>${said || label}</button>`;
}

/** Buttons of which one is pressed. */
export function Choice<Name extends string>(of: {
  label: string;
  names: readonly Name[];
  chosen: Signal<Name>;
}): VNode {
  const { label, names, chosen } = of;
  const choose = (name: Name) => () => {
    chosen.value = name;
  };
  return html`
    <div class="choice row" role="group" aria-label=${label}>
      ${names.map((name) => html`<button aria-pressed=${chosen.value === name} onClick=${choose(name)}>${name}</button>`)}
    </div>
  `;
}

/** The words of this project, explained where one points at them. */
export const HELP = {
  emitted: "Their event is on the bus.",
  beforeStart: "Completed before history begins for this poller (startFrom). They get no event.",
  open: "Begun and not completed. They get their event once they are completed.",
  waiting: "The service gives no metrics or metadata of them yet. They are asked for again.",
  held: "Nothing proves their contents yet. They do not go out, and are looked at again.",
  quarantined: "They cannot be read. They do not go out until somebody puts them back.",
  refused: "The bus has refused their event for good.",
  unaccounted: "Listed by the service, and unknown to the ledger. A person has to act.",
  responses: "All responses of which this poller knows the state now.",
  rate: "Requests a second that the service was found to allow. No limit was met yet where it says none.",
  token: "How long ago the token of the service was fetched.",
  missed: "Completed, listed, and never found.",
  "wrongly sent": "Sent, deleted at the service since, and nobody was told.",
  twice: "Sent more than once.",
  "on the way": "Completed a moment ago, or while the service refuses.",
} as const;

export function Help({ word, children }: { word: keyof typeof HELP; children: unknown }): VNode {
  return html`<abbr title=${HELP[word]}>${children}</abbr>`;
}
