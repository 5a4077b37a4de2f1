import { html } from "htm/preact";
import type { VNode } from "preact";
import { ago, figure } from "./format.ts";
import { Help } from "./help.ts";
import { go, place } from "./place.ts";
import { isDemo, now, snapshot } from "./state.ts";
import { verdict } from "./verdict.ts";

export function VerdictBar(): VNode {
  const { glyph, tone, head, rest, next } = verdict.value;
  return html`
    <header class="verdict">
      <h1 class="say" aria-live="polite">
        <span class=${`glyph ${tone}`} aria-hidden="true">${glyph}</span>
        <span class="head" data-figure="verdict" title=${head}><bdi>${head}</bdi></span>
        <bdi class="rest">${rest}</bdi>
      </h1>
      <p class="next">${next === null ? html`<span class="quiet">${snapshot.value?.polled ?? ""}</span>` : html`Next: <code>${next}</code>`}</p>
      <${Service} />
      <${Switches} />
    </header>
  `;
}

function Service(): VNode | null {
  if (snapshot.value === null) return null;
  const { tokenAt, requestsToday, status } = snapshot.value;
  const rates = status?.sources.flatMap(({ rate }) => (rate === null ? [] : [rate])) ?? [];
  const rate = rates.length === 0 ? "none met" : `${figure(Math.round(Math.min(...rates)))} a second`;
  return html`
    <dl class="service">
      <div><dt><${Help} word="token">Token</${Help}></dt><dd>${tokenAt === null ? "not known" : ago(tokenAt, now.value)}</dd></div>
      <div><dt><${Help} word="rate">Rate</${Help}></dt><dd>${rate}</dd></div>
      ${requestsToday === null ? null : html`<div><dt>Requests today</dt><dd>${figure(requestsToday)}</dd></div>`}
    </dl>
  `;
}

function Switches(): VNode {
  const { theme, zone, view, panel } = place.value;
  const isDark = theme === "dark" || (theme === "" && matchMedia("(prefers-color-scheme: dark)").matches);
  return html`
    <div class="switches">
      ${
        isDemo.value &&
        html`<button class="wide-only" aria-pressed=${panel === "trouble" && view === ""} aria-keyshortcuts="t"
          onClick=${() => go({ panel: panel === "trouble" && view === "" ? "stream" : "trouble", view: "" })}>Trouble</button>`
      }
      <button aria-pressed=${view === "ops"} onClick=${() => go({ view: view === "ops" ? "" : "ops" })}>Ops</button>
      <button onClick=${() => go({ zone: zone === "utc" ? "local" : "utc" })}
        title="Which clock the times are in">${zone === "utc" ? "UTC" : "Local"}</button>
      <button onClick=${() => go({ theme: isDark ? "light" : "dark" })}
        title="Light or dark">${isDark ? "Dark" : "Light"}</button>
    </div>
  `;
}
