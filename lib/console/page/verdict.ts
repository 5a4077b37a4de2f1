import { computed } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { GLYPHS, type StatusAnswer } from "../../cli/verbs/status/answer.ts";
import { ago, figure, Help } from "./format.ts";
import { go, place } from "./place.ts";
import { isDemo, isLockedOut, isSilent, now, silentFor, snapshot } from "./server.ts";

/** Milliseconds after which a state that was read is no longer called the present one. */
const STALE = 20_000;

type Tone = "proved" | "work" | "late" | "you" | "quiet";

interface Verdict {
  glyph: string;
  tone: Tone;
  /** The first words, and what comes after them. */
  head: string;
  rest: string;
  next: string | null;
}

const TONES: Readonly<Record<StatusAnswer["verdict"], Tone>> = {
  complete: "proved",
  working: "work",
  unknown: "work",
  late: "late",
  withheld: "you",
  unaccounted: "you",
};

/** The sentence of `status`, and what only the page itself can know: that it has heard nothing. */
export const verdict = computed<Verdict>(() => {
  const told = (head: string, rest: string, more: Partial<Verdict> = {}): Verdict => ({
    ...{ glyph: "▨", tone: "quiet", head, rest, next: null },
    ...more,
  });
  if (isLockedOut.value) {
    const where = "Open the URL that npm start or survey-poller console has printed last: its end holds the token.";
    return told("This page lacks its token", where);
  }
  const { ended = null } = snapshot.value ?? {};
  if (ended !== null) {
    const why = ended.cause ?? "It ended as it should. What is shown is as of then.";
    return told(`Ended ${ago(ended.at, now.value)}`, why, { tone: ended.cause === null ? "quiet" : "late" });
  }
  if (isSilent.value) {
    const head = `This page has heard nothing for ${Math.floor(silentFor.value / 1_000)} s`;
    return told(head, "What is shown is what was heard last. It tries again by itself.");
  }
  const { status = null, statusFailure = null, statusAt = null, command = "", flags = "" } = snapshot.value ?? {};
  if (status === null) {
    const rest = statusFailure ?? "The state is being read for the first time: a moment.";
    return told("Starting", rest, { glyph: "◐", tone: "work" });
  }
  if (statusFailure !== null || now.value - (statusAt ?? 0) > STALE) {
    const why = statusFailure ?? "The next look takes long.";
    const next = statusFailure === null ? null : `${command} doctor ${flags}`;
    const head = `The state was last read ${ago(statusAt, now.value)}`;
    return told(head, `${why} What is shown is as of then.`, { next });
  }
  return { glyph: GLYPHS[status.verdict], tone: TONES[status.verdict], ...parted(status.sentence), next: status.next };
});

/** "Complete. 168 listed" is a headline and what it rests on. */
function parted(sentence: string): { head: string; rest: string } {
  const at = /[.:] /.exec(sentence)?.index;
  if (at === undefined) return { head: sentence.replace(/\.$/, ""), rest: "" };
  return { head: sentence.slice(0, at), rest: sentence.slice(at + 2) };
}

export function VerdictBar(): VNode {
  const { glyph, tone, head, rest, next } = verdict.value;
  return html`
    <header class="verdict grid">
      <h1 class="say row large" aria-live="polite">
        <span class=${`big ${tone}`} aria-hidden="true">${glyph}</span>
        <span class="head big cut" data-figure="verdict" title=${head}><bdi>${head}</bdi></span>
        <bdi class="rest quiet">${rest}</bdi>
      </h1>
      <p class="next cut">${next === null ? html`<span class="quiet">${snapshot.value?.polled ?? ""}</span>` : html`Next: <code class="command">${next}</code>`}</p>
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
    <dl class="service row wrap">
      <div><dt class="quiet"><${Help} word="token">Token</${Help}></dt><dd class="fixed">${tokenAt === null ? "not known" : ago(tokenAt, now.value)}</dd></div>
      <div><dt class="quiet"><${Help} word="rate">Rate</${Help}></dt><dd class="fixed">${rate}</dd></div>
      ${requestsToday === null ? null : html`<div><dt class="quiet">Requests today</dt><dd class="fixed">${figure(requestsToday)}</dd></div>`}
    </dl>
  `;
}

function Switches(): VNode {
  const { theme, zone, view, panel } = place.value;
  const isDark = theme === "dark" || (theme === "" && matchMedia("(prefers-color-scheme: dark)").matches);
  return html`
    <div class="switches row">
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

const DOCS = "https://github.com/survey-poller/survey-poller#readme";

/** The purpose of all this, for somebody who has never seen it. */
export function About(): VNode {
  const missed = snapshot.value?.shadow?.cursor.missed ?? 0;
  return html`
    <p class="about quiet"><b>survey-poller</b> Every completed response becomes one event.${" "}
      ${isDemo.value ? html`<span>Beside it a poller with a cursor reads the same list: it has missed ${figure(missed)}.${" "}</span>` : null}
      <a href=${DOCS} rel="noreferrer" target="_blank">What is this?</a></p>
  `;
}
