import { computed } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { COUNTED, type SurveyStatus, severityOf } from "../../cli/verbs/status/answer.ts";
import { nameShown } from "../../cli/words.ts";
import { surveyKey } from "../changes.ts";
import { inState } from "./books.ts";
import { ago, figure, span } from "./format.ts";
import { go, place } from "./place.ts";
import { events, now, snapshot } from "./server.ts";

const LAGS = 24;
const WIDTH = 56;
const HEIGHT = 16;

/** The first events of responses, by their survey. */
const recent = computed(() => {
  const contents = events.value.filter(({ type }) => type === "response.completed");
  return Map.groupBy(contents, ({ source, surveyId }) => surveyKey(source, surveyId));
});

/** The worst first. */
const ordered = computed(() => {
  const { state } = place.value;
  const surveys = snapshot.value?.status?.surveys ?? [];
  return surveys
    .filter((survey) => state === "" || inState(survey, state) > 0)
    .sort((a, b) => badness(b) - badness(a) || a.surveyId - b.surveyId);
});

/** Two sources may have surveys of the same id. */
const several = computed(() => (snapshot.value?.status?.sources.length ?? 0) > 1);

/** Of a source that is not polled as it should be nothing is as fresh as it looks. */
function isLate(name: string): boolean {
  const source = snapshot.value?.status?.sources.find((one) => one.source === name);
  return source !== undefined && source.problem !== null && source.lastTick !== null;
}

function badness(survey: SurveyStatus): number {
  return Math.max(severityOf(survey), isLate(survey.source) ? 3 : 0);
}

export function Surveys(): VNode {
  const { state } = place.value;
  const all = snapshot.value?.status?.surveys.length ?? 0;
  return html`
    <section class="surveys panel" aria-label="Surveys">
      <div class="row under"><h2>Surveys</h2>
        ${state === "" ? null : html`<button onClick=${() => go({ state: "" })}>${state} ✕</button>`}</div>
      <div class="scroll" tabindex="0" role="region" aria-label="List of surveys">
        ${ordered.value.map((survey) => html`<${Survey} key=${`${survey.source}/${survey.surveyId}`} survey=${survey} />`)}
        ${
          ordered.value.length > 0
            ? null
            : html`<p class="empty">${all === 0 ? "The first poll puts the surveys of the account here." : "No survey has any in this state."}</p>`
        }
      </div>
    </section>
  `;
}

function Survey({ survey }: { survey: SurveyStatus }): VNode {
  const { source, surveyId, name, now: counts, books, unaccounted, backlog } = survey;
  const [tone, glyph] = LOOKS[badness(survey)] ?? AT_WORK;
  const key = surveyKey(source, surveyId);
  const isChosen = place.value.survey === key;
  const rows = recent.value.get(key) ?? [];
  const lastAt = rows.at(-1)?.at;
  const lags = rows.flatMap(({ lag }) => lag ?? []).slice(-LAGS);
  const activity = snapshot.value?.activities[key] ?? "";
  const set = COUNTED.filter((state) => counts[state] > 0);
  return html`
    <button class="survey" aria-pressed=${isChosen} onClick=${() => go({ survey: isChosen ? "" : key })}>
      <span class="row between"><b class="name row"><span class=${`glyph ${tone}`} aria-hidden="true">${glyph}</span>
        <bdi class="cut">${nameShown(name)}</bdi></b><span class="mono quiet">${several.value ? `${source} ` : ""}${surveyId}</span></span>
      <span class="row between quiet"><span class="cut">${lastAt === undefined ? "no event yet" : `last event ${ago(lastAt, now.value)}`}</span>
      <span class="fixed">${books === null ? "never proved" : `proved ${ago(books.closedAt, now.value)}`}</span></span>
      <span class="row between"><span class="states row wrap fixed">
        ${unaccounted > 0 ? html`<b class="you">${figure(unaccounted)} unaccounted</b>` : null}
        ${set.map((state) => html`<span class=${state === "open" ? "quiet" : "late"}>${figure(counts[state])} ${state}</span>`)}
        ${backlog === null ? null : html`<span class="work">${placeOf(survey, backlog)}</span>`}
        <span class=${activity.startsWith("failed") ? "late" : "work"}>${activity}</span>
      </span>
      <${Sparkline} lags=${lags} /></span>
    </button>
  `;
}

function placeOf({ books }: SurveyStatus, backlog: NonNullable<SurveyStatus["backlog"]>): string {
  const { emitted, expected } = backlog;
  if (emitted !== null) return `${figure(emitted)}${expected === null ? "" : ` of about ${figure(expected)}`}`;
  return `${books === null ? "first read" : "catching up"}, page ${backlog.page}`;
}

/** Whole milliseconds of the last lags, as a line. */
function Sparkline({ lags }: { lags: readonly number[] }): VNode {
  const most = Math.max(1, ...lags);
  const x = (i: number): number => (WIDTH * (i + LAGS - lags.length)) / (LAGS - 1);
  const points = lags.map((lag, i) => `${x(i).toFixed(1)},${(HEIGHT - 1 - (lag / most) * (HEIGHT - 3)).toFixed(1)}`);
  const last = lags.at(-1);
  return html`
    <span class="row fixed" title="Lags of the last events"><span class="quiet">${last === undefined ? "" : span(last)}</span>
      <svg width=${WIDTH} height=${HEIGHT} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        ${points.length > 1 ? html`<polyline points=${points.join(" ")} />` : null}
      </svg></span>
  `;
}

const AT_WORK = ["work", "◐"] as const;
const YOURS = ["you", "■"] as const;
/** The colour and the glyph of a survey, by how bad it is. */
const LOOKS = [["proved", "●"], AT_WORK, AT_WORK, ["late", "▲"], YOURS, YOURS] as const;
