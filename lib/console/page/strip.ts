import { effect } from "@preact/signals";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Flag, StripPoint } from "../changes.ts";
import { clock, span } from "./format.ts";
import { place } from "./place.ts";
import { events, snapshot } from "./state.ts";

/** Seconds that are shown, of a run that is young fewer. */
const SHOWN = 300;
const LEAST = 60;
const CURSOR: uPlot.Cursor = { sync: { key: "strip" }, y: false, points: { size: 6 } };

export function Strip(): VNode {
  const elsewhere = snapshot.value?.elsewhere ?? null;
  const contents = events.value.filter(({ type }) => type === "response.completed");
  const isUndated = contents.length > 0 && contents.every(({ lag }) => lag === null);
  const requests = useRef<HTMLDivElement>(null);
  const lags = useRef<HTMLDivElement>(null);
  useEffect(() => {
    return lags.current === null ? undefined : draw(chartsOf(requests.current, lags.current));
  }, [elsewhere === null]);
  const flagged = snapshot.value?.flagged ?? [];
  return html`
    <section class="strip panel" aria-label="The last five minutes">
      ${
        elsewhere !== null
          ? html`<figure><figcaption><b>Requests</b></figcaption><p class="empty">${elsewhere.requests}</p></figure>`
          : html`<figure><figcaption><b>Requests</b> a second
        <span class="legend quiet"><i class="fill work"></i>answered <i class="fill late"></i>refused (429) <i class="fill you"></i>failed</span>
      </figcaption><div class="plot" ref=${requests} aria-hidden="true"></div></figure>`
      }
      <figure><figcaption><b>Lag</b> ${isUndated ? "is not known: the source has no timeZone" : "from completion to the bus"}
        <span class="legend quiet"><i class="fill proved"></i>half within <i class="fill quiet"></i>nine of ten within</span>
      </figcaption><div class="plot" ref=${lags} aria-hidden="true"></div></figure>
      <ol class="marks" aria-label="What happened" tabindex="0">
        ${flagged.length === 0 ? html`<li class="quiet">Pauses, renewals of the token and what is late are listed here, and flagged on the left.</li>` : null}
        ${[...flagged]
          .reverse()
          .slice(0, 30)
          .map(
            (flag) =>
              html`<li><span class="mono quiet">${clock(flag.at)}</span> <span class=${TONES[flag.kind]}>${flag.text}</span></li>`,
          )}
      </ol>
    </section>
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
  element: HTMLElement;
  /** Each line, by the name of its colour. */
  lines: readonly (readonly [tone: Tone, (point: StripPoint) => number | null])[];
  /** The least range of the axis. */
  least: number;
  words: (value: number) => string;
}

function chartsOf(requests: HTMLElement | null, lags: HTMLElement): Chart[] {
  const lines: Chart["lines"] = [
    ["work", (point) => point.requests.ok],
    ["late", (point) => point.requests.refused],
    ["you", (point) => point.requests.failed],
  ];
  const lag: Chart["lines"] = [
    ["proved", ({ p50 }) => p50],
    ["quiet", ({ p90 }) => p90],
  ];
  return [
    ...(requests === null ? [] : [{ element: requests, lines, least: 5, words: String }]),
    { element: lags, lines: lag, least: 1_000, words: span },
  ];
}

/** Draws them, and again whenever there is more, another theme or clock is chosen, or the room changes. */
function draw(charts: readonly Chart[]): () => void {
  const drawn = charts.map((chart) => ({ ...chart, plot: new uPlot(options(chart), [[]], chart.element) }));
  const end = effect(() => {
    void place.value;
    const points = snapshot.value?.points.slice(-SHOWN) ?? [];
    const x = points.map(({ at }) => at / 1_000);
    const last = x.at(-1) ?? Date.now() / 1_000;
    const shown = Math.min(SHOWN, Math.max(LEAST, x.length));
    for (const { plot, lines } of drawn) {
      plot.setData([x, ...lines.map(([, of]) => points.map(of))]);
      plot.setScale("x", { min: last - shown, max: last });
    }
  });
  const size = new ResizeObserver(() => {
    for (const { plot, element } of drawn) {
      plot.setSize({ width: element.clientWidth, height: element.clientHeight });
    }
  });
  for (const { element } of drawn) size.observe(element);
  return () => {
    end();
    size.disconnect();
    for (const { plot } of drawn) plot.destroy();
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

function options({ element, lines, least, words }: Chart): uPlot.Options {
  const { clientWidth: width, clientHeight: height } = element;
  const axis: uPlot.Axis = {
    stroke: () => colourOf("quiet"),
    grid: { stroke: () => colourOf("line"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui, sans-serif",
  };
  return {
    width: Math.max(50, width),
    height: Math.max(40, height),
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
