import { html } from "htm/preact";
import type { VNode } from "preact";
import { MASK } from "../changes.ts";
import type { Leaf } from "./rule.ts";

/** A note beside a field, by its path, in words. */
export type NoteOf = (path: readonly string[], value: unknown, parent: unknown) => string | undefined;

interface JsonViewOptions {
  value: unknown;
  noteOf?: NoteOf;
  /** Makes leaves something to press. */
  onLeaf?: (path: readonly string[], value: Leaf) => void;
  isChosen?: (path: readonly string[], value: Leaf) => boolean;
}

/** JSON as one would print it, a line for each field. */
export function JsonView(options: JsonViewOptions): VNode {
  return html`<div class="json mono">${lines(options, options.value, [], "", 0, undefined)}</div>`;
}

function lines(
  options: JsonViewOptions,
  value: unknown,
  path: readonly string[],
  name: string,
  depth: number,
  parent: unknown,
): VNode[] {
  const key = name === "" ? null : html`<span class="quiet">${name}</span> `;
  const line = (content: unknown, note?: string): VNode => html`
    <div class="line" style=${{ paddingLeft: `${depth * 12}px` }}>${key}${content}${
      note === undefined ? null : html`<span class="proved">${note}</span>`
    }</div>`;
  if (typeof value !== "object" || value === null) {
    return [
      line(html`<${LeafView} ...${{ options, path, value: value as Leaf }} />`, options.noteOf?.(path, value, parent)),
    ];
  }
  const entries = Array.isArray(value) ? value.map((one) => ["", one] as const) : Object.entries(value);
  if (entries.length === 0) return [line(html`<span class="quiet">${Array.isArray(value) ? "[ ]" : "{ }"}</span>`)];
  const isFlat = Array.isArray(value) && value.every((one) => typeof one !== "object" || one === null);
  if (isFlat) {
    const leaves = value.map((one) => html`<${LeafView} ...${{ options, path, value: one as Leaf }} />`);
    return [line(leaves, options.noteOf?.(path, value, parent))];
  }
  const inner = entries.flatMap(([field, one], i) => [
    ...(Array.isArray(value) && i > 0 ? [html`<div class="gap"></div>`] : []),
    ...lines(options, one, field === "" ? path : [...path, field], field, name === "" ? depth : depth + 1, value),
  ]);
  return name === "" ? inner : [line(null), ...inner];
}

function LeafView({ options, path, value }: { options: JsonViewOptions; path: readonly string[]; value: Leaf }): VNode {
  const { onLeaf, isChosen } = options;
  const text = String(value) || '""';
  const kind = value === MASK || value === null ? "quiet" : typeof value === "string" ? "" : "work";
  if (onLeaf === undefined || value === MASK) {
    return html`<span class=${`value ${kind}`} title=${value === MASK ? "Personal: masked until it is revealed" : undefined}>${text}</span>`;
  }
  return html`<button class=${`value leaf bare ${kind}`} aria-pressed=${isChosen?.(path, value) === true}
    onClick=${() => onLeaf(path, value)}>${text}</button>`;
}
