import { html } from "htm/preact";
import type { VNode } from "preact";
import { figure } from "./format.ts";
import { isDemo, snapshot } from "./state.ts";

const DOCS = "https://github.com/survey-poller/survey-poller#readme";

/** The purpose of all this, for somebody who has never seen it. */
export function About(): VNode {
  const missed = snapshot.value?.shadow?.cursor.missed ?? 0;
  return html`
    <p class="about"><b>survey-poller</b> Every completed response becomes one event.${" "}
      ${isDemo.value ? html`<span>Beside it a poller with a cursor reads the same list: it has missed ${figure(missed)}.${" "}</span>` : null}
      <a href=${DOCS} rel="noreferrer" target="_blank">What is this?</a></p>
  `;
}
