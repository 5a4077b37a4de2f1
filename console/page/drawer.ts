import { html } from "htm/preact";
import type { VNode } from "preact";
import { CodeTab } from "./code-tab.ts";
import { copy, said } from "./copy.ts";
import type { Envelope } from "./envelope.ts";
import { JsonView } from "./json-view.ts";
import { opened, toggleReveal } from "./opened.ts";
import { go, place, TABS, type Tab } from "./place.ts";
import { RuleTab } from "./rule-tab.ts";
import { StoryTab } from "./story-tab.ts";

const NAMES: Readonly<Record<Tab, string>> = { event: "Event", story: "Story", rule: "Rule", code: "Code" };

export function Drawer(): VNode {
  const { tab } = place.value;
  const one = opened.value;
  return html`
    <section class="drawer panel" aria-label="Event" id="drawer">
      <div class="row">
        <div class="tabs" role="tablist" aria-label="What of the event">
          ${TABS.map(
            (name) => html`
              <button role="tab" id=${`tab-${name}`} aria-selected=${name === tab} aria-controls="tab-body"
                tabindex=${name === tab ? 0 : -1} onKeyDown=${turn} onClick=${() => go({ tab: name })}>${NAMES[name]}</button>`,
          )}
        </div>
        <button class="close" aria-label="Close the event" aria-keyshortcuts="Escape" onClick=${() => go({ event: "", panel: "stream" })}>✕</button>
      </div>
      <div class="scroll" id="tab-body" role="tabpanel" aria-labelledby=${`tab-${tab}`} tabindex="0">
        ${
          one === null
            ? html`<p class="empty">Open an event of the stream: what it holds, how it came about, a rule that matches it, and code that handles it.</p>`
            : one.envelope === null
              ? html`<p class="empty">${one.error === "" ? "" : one.error}</p>`
              : html`<${Body} tab=${tab} envelope=${one.envelope} />`
        }
      </div>
    </section>
  `;
}

function turn(event: KeyboardEvent): void {
  const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (by === 0) return;
  const next = TABS[(TABS.indexOf(place.peek().tab) + by + TABS.length) % TABS.length] ?? "event";
  go({ tab: next });
  requestAnimationFrame(() => document.getElementById(`tab-${next}`)?.focus());
}

function Body({ tab, envelope }: { tab: Tab; envelope: Envelope }): VNode {
  if (tab === "story") return html`<${StoryTab} />`;
  if (tab === "rule") return html`<${RuleTab} envelope=${envelope} />`;
  if (tab === "code") return html`<${CodeTab} envelope=${envelope} />`;
  const isRevealed = opened.value?.isRevealed === true;
  return html`
    <div class="row actions">
      <button onClick=${() => copy("event", JSON.stringify(envelope, null, 2))}>${said("event") ?? "Copy JSON"}</button>
      <button onClick=${() => copy("id", envelope.detail.meta?.eventId ?? "")}>${said("id") ?? "Copy event id"}</button>
      <button aria-pressed=${isRevealed} onClick=${() => void toggleReveal()}>${isRevealed ? "Mask again" : "Reveal personal fields"}</button>
    </div>
    ${opened.value?.error ? html`<p class="late">${opened.value.error}</p>` : null}
    <${JsonView} value=${envelope} noteOf=${noteOf} />
  `;
}

/** Words beside ids, from what the event itself knows. */
function noteOf(path: readonly string[], value: unknown, parent: unknown): string | undefined {
  const name = path.at(-1);
  const data = opened.value?.envelope?.detail.data;
  if (name === "surveyId") return data?.survey?.name ?? undefined;
  const { question, labels, metricName } = (parent ?? {}) as {
    question?: { text?: string } | null;
    labels?: (string | null)[] | string | null;
    metricName?: string;
  };
  if (name === "questionId") return question?.text;
  if (name === "answer" && Array.isArray(labels)) return labels.map((label) => label ?? "?").join(", ");
  if (name === "metricId" && value !== null) return metricName;
  if (name === "eventId") return "the same for every delivery";
  return undefined;
}
