import { signal } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { type SurveyStatus, withheldIn, withheldText } from "../../cli/verbs/status/answer.ts";
import { nameShown, surveyName } from "../../cli/words.ts";
import type { RuleView } from "../rules.ts";
import { Copy, figure } from "./format.ts";
import { ask, isRefused, now, snapshot, useAnswer } from "./server.ts";
import { Marks } from "./strip.ts";
import { verdict } from "./verdict.ts";

const HOUR = 3_600_000;
const RULES_EVERY = 10_000;

/** Whose subscribers wait while the poller stands still. */
function Rules(): VNode | null {
  const found = useAnswer(
    "rules",
    () => ask<RuleView[]>("/rules"),
    () => RULES_EVERY,
  );
  if (found === null) return null;
  if (isRefused(found)) return html`<p class="late">${found.error}</p>`;
  if (found.length === 0) return html`<p class="quiet">None on the bus: nobody subscribes to its events.</p>`;
  return html`
    <ul>
      ${found.map(
        ({ name, isEnabled, targets, types }) => html`
          <li><b>${name}</b> <span class=${isEnabled ? "quiet" : "late"}>${isEnabled ? "on" : "off"}, ${targets} ${targets === 1 ? "target" : "targets"}${types.length > 0 ? `, ${types.join(", ")}` : ""}</span></li>`,
      )}
    </ul>
  `;
}

const done = signal<string[]>([]);
const isActing = signal(false);

async function run(kind: string, of: object): Promise<void> {
  isActing.value = true;
  done.value = [];
  const answer = await ask<{ lines: string[] }>("/actions", { kind, ...of });
  done.value = isRefused(answer) ? [answer.error] : answer.lines;
  isActing.value = false;
}

/** The actions of this page, by the code of the command's verbs. */
function Actions(): VNode {
  const status = snapshot.value?.status ?? null;
  const worst = status?.surveys.find(({ unaccounted }) => unaccounted > 0);
  const isPaused = status?.sources.some(({ pausedSince }) => pausedSince !== null) === true;
  const audited = worst === undefined ? {} : { source: worst.source, surveyId: worst.surveyId };
  return html`
    <section class="panel grid pad actions-panel"><h2>Do it here</h2>
      <div class="row wrap actions">
        <button disabled=${isActing.value} onClick=${() => void run("audit", audited)}>Audit ${worst === undefined ? "all surveys" : html`<bdi>${nameShown(worst.name)}</bdi>`} now</button>
        <button disabled=${isActing.value} onClick=${() => void run(isPaused ? "resume" : "pause", {})}>${isPaused ? "Resume polling" : "Pause polling"}</button>
      </div>
      <ul role="status">${isActing.value ? html`<li class="work">at work …</li>` : done.value.map((line) => html`<li>${line}</li>`)}</ul>
    </section>
  `;
}

/** Where the runbook says more, by verdict. */
const SECTIONS: Readonly<Record<string, [title: string, anchor: string]>> = {
  withheld: ["Responses are withheld", "responses-are-withheld"],
  late: ["Something stands still", "something-stands-still"],
  down: ["No successful tick", "no-successful-tick"],
  unaccounted: ["Something stands still", "something-stands-still"],
  unknown: ["Something stands still", "something-stands-still"],
};

/** For whoever was woken: what is wrong, and the one command that mends it. */
export function Ops(): VNode {
  const { head, rest, next } = verdict.value;
  const status = snapshot.value?.status ?? null;
  const flagged = (snapshot.value?.flagged ?? []).filter(({ at }) => at > now.value - HOUR);
  const isDown = status?.verdict === "late" && (status.end !== null || status.sources.some(({ problem }) => problem));
  const [title, anchor] = SECTIONS[isDown ? "down" : (status?.verdict ?? "")] ?? ["Where to look", "where-to-look"];
  const ticket = ticketText();
  const command = next ?? `${snapshot.value?.command} status ${snapshot.value?.flags ?? ""}`;
  return html`
    <div class="ops">
      <section class="panel grid pad"><h2>Next</h2>
        <p class="row"><code class="command large">${command}</code>
          <${Copy} text=${command} /></p>
        <p class="quiet">${next === null ? "Nothing has to be done. This is how the same is asked on the command line." : rest || head}</p>
        <p>Runbook: <code>docs/runbook.md#${anchor}</code> (${title})</p>
      </section>
      ${snapshot.value?.mayAct === true ? html`<${Actions} />` : null}
      <section class="panel grid pad"><h2>Changes of the last hour</h2>
        <${Marks} flagged=${flagged} />
      </section>
      <section class="panel grid pad"><h2>Affected rules</h2><${Rules} /></section>
      <section class="panel grid pad"><div class="row"><h2>Ticket</h2><${Copy} text=${ticket} />
        <span class="quiet">Nothing personal is in it.</span></div>
        <pre class="mono code" tabindex="0" aria-label="Text of a ticket">${ticket}</pre>
      </section>
    </div>
  `;
}

function ticketText(): string {
  const data = snapshot.value;
  const status = data?.status ?? null;
  if (data === null || status === null) return "The state has not been read yet.";
  const affected = status.surveys.flatMap((survey) => {
    const reason = reasonOf(survey);
    return reason === "" ? [] : [`- ${surveyName(survey)}, source ${survey.source}: ${reason}`];
  });
  return [
    `${status.verdict}: ${status.sentence}`,
    `as of ${new Date(data.statusAt ?? 0).toISOString()}, ${data.flags}`,
    ...(status.next === null ? [] : [`next: ${status.next}`]),
    ...(affected.length === 0 ? ["no survey is affected by itself"] : affected),
  ].join("\n");
}

/** Why a survey needs to be looked at; empty where it does not. */
function reasonOf(survey: SurveyStatus): string {
  const { unaccounted, booksOpen, books } = survey;
  return [
    ...(unaccounted > 0 ? [`${figure(unaccounted)} of ${figure(books?.listed ?? 0)} listed unaccounted`] : []),
    ...(withheldIn(survey) > 0 ? [`${withheldText([survey])}: no event`] : []),
    ...(booksOpen === null ? [] : [`books open: ${booksOpen}`]),
  ].join("; ");
}
