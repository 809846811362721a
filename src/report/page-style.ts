/** The style sheet of reports in HTML: one look for all of them. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --back: #f6f7f9; --card: #fff; --line: #dde1e6; --text: #1c2126; --quiet: #5c6670; --link: #0b62c4;
  --bad: #b3261e; --bad-back: #fdecea; --warn: #8a5a00; --warn-back: #fff4dc; --note: #22589c; --note-back: #e8f0fb;
  --good: #1f7a44; --good-back: #e6f5eb; --mute-back: #eceff2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #14171a; --card: #1d2126; --line: #333a42; --text: #e6e9ec; --quiet: #9aa5b1; --link: #7ab5ff;
    --bad: #ff8a80; --bad-back: #43201e; --warn: #ffc861; --warn-back: #3c2f12; --note: #9cc4ff; --note-back: #1d3150;
    --good: #7fd8a0; --good-back: #17371f; --mute-back: #2a3037;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 0 24px 48px; max-width: 1120px; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; border-radius: 4px; }
.top { display: flex; gap: 16px; align-items: flex-start; padding: 28px 0 16px; }
.state { flex: none; width: 48px; height: 48px; border-radius: 50%; display: grid; place-items: center; font-size: 24px; font-weight: 700; }
.state.bad { background: var(--bad-back); color: var(--bad); }
.state.warn { background: var(--warn-back); color: var(--warn); }
.state.good { background: var(--good-back); color: var(--good); }
.heading { min-width: 0; }
h1 { margin: 0; font-size: 24px; line-height: 1.25; }
.heading p { margin: 2px 0 0; }
.site { overflow-wrap: anywhere; font-weight: 500; }
.facts, .found { color: var(--quiet); font-size: 14px; }
.facts span + span::before { content: " · "; white-space: pre; }
.remark { margin: 0 0 12px; padding: 8px 14px; border-left: 4px solid var(--warn); background: var(--warn-back); border-radius: 4px; }
.bar { position: sticky; top: 0; z-index: 1; padding: 12px 0 10px; background: var(--back); border-bottom: 1px solid var(--line); }
.row { display: flex; flex-wrap: wrap; gap: 10px 14px; align-items: center; }
.row label { color: var(--quiet); font-size: 13px; }
input, select, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 5px 10px; }
select, button { font-size: 14px; }
button { cursor: pointer; }
button:hover:not(:disabled) { border-color: var(--quiet); }
button:disabled { opacity: .45; cursor: default; }
#search { flex: 1 1 240px; min-width: 0; }
.segments { display: flex; }
.segments button { border-radius: 0; margin-left: -1px; }
.segments button:first-child { border-radius: 6px 0 0 6px; margin-left: 0; }
.segments button:last-child { border-radius: 0 6px 6px 0; }
.segments [aria-pressed=true], .chips [aria-pressed=true] { background: var(--text); color: var(--back); border-color: var(--text); }
.chips { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 10px; }
.chips button { padding: 1px 10px; border-radius: 999px; font-size: 13px; }
.chips button b { margin-left: 6px; font-weight: 600; font-variant-numeric: tabular-nums; }
#count { margin: 14px 0 8px; color: var(--quiet); font-size: 13px; }
#list { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: 10px; background: var(--card); overflow: hidden; }
#list:empty { display: none; }
#list > li + li { border-top: 1px solid var(--line); }
summary { display: flex; gap: 12px; align-items: baseline; padding: 9px 14px; cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "▸"; flex: none; color: var(--quiet); font-size: 12px; transition: transform .1s; }
details[open] > summary::before { transform: rotate(90deg); }
summary:hover { background: var(--back); }
summary:focus-visible { outline-offset: -2px; }
.url { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; }
details[open] > summary .url { white-space: normal; overflow-wrap: anywhere; }
.meta { flex: none; color: var(--quiet); font-size: 13px; font-variant-numeric: tabular-nums; }
.badge { flex: none; padding: 0 8px; border-radius: 4px; font-size: 12.5px; line-height: 20px; font-weight: 600; white-space: nowrap; }
summary > .badge { min-width: 144px; text-align: center; }
.bad.badge { background: var(--bad-back); color: var(--bad); }
.warn.badge { background: var(--warn-back); color: var(--warn); }
.note.badge { background: var(--note-back); color: var(--note); }
.mute.badge { background: var(--mute-back); color: var(--quiet); }
.body { padding: 2px 14px 16px 38px; }
.body p { margin: 0 0 8px; }
.help { color: var(--quiet); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 16px; margin: 0 0 12px; font-size: 14px; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; unicode-bidi: isolate; }
table { width: 100%; border-collapse: collapse; font-size: 14px; table-layout: fixed; }
th { text-align: left; font-weight: 500; color: var(--quiet); font-size: 13px; border-bottom: 1px solid var(--line); padding: 3px 12px 3px 0; }
td { vertical-align: top; padding: 4px 12px 4px 0; overflow-wrap: anywhere; unicode-bidi: isolate; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; }
th.place, td.place { width: 84px; font-variant-numeric: tabular-nums; }
th.kind, td.kind { width: 150px; }
th.words, td.words { width: 22%; }
th.written, td.written { width: 28%; }
code { font: 13px/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.pager { display: flex; gap: 8px; align-items: center; justify-content: center; margin-top: 16px; color: var(--quiet); font-size: 14px; }
footer { margin-top: 28px; color: var(--quiet); font-size: 13px; }
kbd { font: 12px ui-monospace, monospace; padding: 0 5px; margin-left: 10px; border: 1px solid var(--line); border-radius: 4px; background: var(--card); }
kbd + kbd { margin-left: 2px; }
@media (max-width: 640px) {
  body { padding: 0 12px 32px; }
  summary { flex-wrap: wrap; gap: 4px 10px; }
  .url { flex-basis: 70%; white-space: normal; overflow-wrap: anywhere; order: 3; }
  .body { padding-left: 14px; }
  summary > .badge { min-width: 0; }
  .bar { position: static; }
  footer, thead { display: none; }
  table, tbody, tr, td { display: block; width: auto; }
  td, td[class] { width: auto; padding: 1px 0; border: 0; }
  tr { padding: 6px 0; }
  tr + tr { border-top: 1px solid var(--line); }
}
@media print {
  :root { --back: #fff; --card: #fff; --line: #ccc; --text: #000; --quiet: #444; --link: #000; color-scheme: light;
    --bad: #900; --warn: #640; --note: #036; --good: #040; --bad-back: #fff; --warn-back: #fff; --note-back: #fff; --mute-back: #fff; --good-back: #fff; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .bar, .pager, footer { display: none; }
  summary::before { content: none; }
  .url { white-space: normal; overflow-wrap: anywhere; }
  .badge { border: 1px solid currentColor; }
  summary { break-after: avoid; }
  tr { break-inside: avoid; }
  .body { padding-left: 14px; }
}
@media (prefers-reduced-motion: reduce) { summary::before { transition: none; } }
`;
