import { effect } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Flag, StripPoint } from "../changes.ts";
import { clock, span } from "./format.ts";
import { place } from "./place.ts";
import { events, snapshot } from "./server.ts";

/** Seconds that are shown, of a run that is young fewer. */
const SHOWN = 300;
const LEAST = 60;
const CURSOR: uPlot.Cursor = { sync: { key: "strip" }, y: false, points: { size: 6 } };

export function Strip(): VNode {
  const elsewhere = snapshot.value?.elsewhere ?? null;
  const contents = events.value.filter(({ type }) => type === "response.completed");
  const isUndated = contents.length > 0 && contents.every(({ lag }) => lag === null);
  const flagged = snapshot.value?.flagged ?? [];
  return html`
    <section class="strip panel grid" aria-label="The last five minutes">
      ${
        elsewhere !== null
          ? html`<figure class="grid"><figcaption class="cut"><b>Requests</b></figcaption><p class="empty">${elsewhere.requests}</p></figure>`
          : html`<figure class="grid"><figcaption class="cut"><b>Requests</b> a second
        <span class="legend quiet"><i class="fill dot work"></i>answered <i class="fill dot late"></i>refused (429) <i class="fill dot you"></i>failed</span>
      </figcaption><${Plot} chart=${REQUESTS} /></figure>`
      }
      <figure class="grid"><figcaption class="cut"><b>Lag</b> ${isUndated ? "is not known: the source has no timeZone" : "from completion to the bus"}
        <span class="legend quiet"><i class="fill dot proved"></i>half within <i class="fill dot quiet"></i>nine of ten within</span>
      </figcaption><${Plot} chart=${LAGS} /></figure>
      <${Marks} flagged=${flagged} />
    </section>
  `;
}

/** What has happened, the last first. */
export function Marks({ flagged }: { flagged: readonly Flag[] }): VNode {
  return html`
    <ol class="marks scroll" aria-label="What happened" tabindex="0">
      ${flagged.length === 0 ? html`<li class="quiet">Pauses, renewals of the token and what is late are listed here, while a page is open.</li>` : null}
      ${flagged
        .toReversed()
        .slice(0, 40)
        .map(
          ({ at, kind, text }) =>
            html`<li><span class="mono quiet">${clock(at)}</span> <span class=${TONES[kind]}>${text}</span></li>`,
        )}
    </ol>
  `;
}

const TONES: Readonly<Record<Flag["kind"], Tone>> = {
  trouble: "late",
  pause: "late",
  restart: "work",
  token: "quiet",
  action: "work",
  verdict: "late",
};

interface Chart {
  /** Each line, by the name of its colour. */
  lines: readonly (readonly [tone: Tone, (point: StripPoint) => number | null])[];
  /** The least range of the axis. */
  least: number;
  words: (value: number) => string;
}

const REQUESTS: Chart = {
  lines: [
    ["work", ({ requests }) => requests.ok],
    ["late", ({ requests }) => requests.refused],
    ["you", ({ requests }) => requests.failed],
  ],
  least: 5,
  words: String,
};
const LAGS: Chart = {
  lines: [
    ["proved", ({ p50 }) => p50],
    ["quiet", ({ p90 }) => p90],
  ],
  least: 1_000,
  words: span,
};

function Plot({ chart }: { chart: Chart }): VNode {
  const room = useRef<HTMLDivElement>(null);
  useEffect(() => (room.current === null ? undefined : draw(chart, room.current)), [chart]);
  return html`<div class="cut" ref=${room} aria-hidden="true"></div>`;
}

/** Draws a chart, and again whenever there is more, another theme or clock is chosen, or the room changes. */
function draw(chart: Chart, room: HTMLElement): () => void {
  const plot = new uPlot(options(chart, room), [[]], room);
  const end = effect(() => {
    void place.value;
    const points = snapshot.value?.points.slice(-SHOWN) ?? [];
    const x = points.map(({ at }) => at / 1_000);
    const last = x.at(-1) ?? Date.now() / 1_000;
    plot.setData([x, ...chart.lines.map(([, of]) => points.map(of))]);
    plot.setScale("x", { min: last - Math.min(SHOWN, Math.max(LEAST, x.length)), max: last });
  });
  const size = new ResizeObserver(() => plot.setSize({ width: room.clientWidth, height: room.clientHeight }));
  size.observe(room);
  return () => {
    end();
    size.disconnect();
    plot.destroy();
  };
}

type Tone = "quiet" | "line" | "work" | "late" | "you" | "proved";

/** The colour of a class, as the theme has it now: a canvas knows nothing of `light-dark()`. */
function colourOf(tone: Tone): string {
  const probe = document.createElement("i");
  probe.style.color = `var(--${tone})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function options({ lines, least, words }: Chart, { clientWidth, clientHeight }: HTMLElement): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: () => colourOf("quiet"),
    grid: { stroke: () => colourOf("line"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui, sans-serif",
  };
  return {
    width: Math.max(50, clientWidth),
    height: Math.max(40, clientHeight),
    cursor: CURSOR,
    legend: { show: false },
    padding: [6, 28, 0, 0],
    series: [{}, ...lines.map(([tone]) => ({ stroke: () => colourOf(tone), width: 1.5, points: { show: false } }))],
    scales: { x: { time: true }, y: { range: (_plot, _min, max) => [0, Math.max(least, max ?? 0)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 22,
        space: 80,
        values: (_plot, at) => at.map((one) => clock(one * 1_000)),
      },
      { ...axis, size: 52, space: 26, values: (_plot, values) => values.map(words) },
    ],
    hooks: { draw: [drawFlags] },
  };
}

function drawFlags(plot: uPlot): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.setLineDash([3, 3]);
  ctx.lineWidth = devicePixelRatio;
  for (const flag of snapshot.peek()?.flagged ?? []) {
    const x = Math.round(plot.valToPos(flag.at / 1_000, "x", true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = colourOf(TONES[flag.kind]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}
