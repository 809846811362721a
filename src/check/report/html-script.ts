import { ENTRIES_SCRIPT } from './html-entries.js';

/** The script of the HTML report: what is listed, the controls, the keys. */
export const PAGE_SCRIPT = String.raw`'use strict';
(() => {
  const PAGE_LENGTH = 100;
  const PRINTED = 2000;
  const byId = (id) => document.getElementById(id);
  const links = JSON.parse(byId('links').textContent);
  const { verdicts, help, leftOut } = JSON.parse(byId('facts').textContent);
  const rank = new Map(verdicts.map((verdict, place) => [verdict, place]));

  const SCOPES = {
    failing: ['Failing', (link) => link.fails],
    attention: ['To look at', (link) => link.attention],
    all: ['All', () => true],
  };
  const SORTS = {
    target: { worst: 'severity', url: 'URL', places: 'most places', status: 'status' },
    page: { worst: 'most findings', url: 'page' },
  };

  const state = { scope: 'all', verdicts: new Set(), words: '', by: 'target', sort: 'worst', page: 0 };
${ENTRIES_SCRIPT}
  // What is listed

  function haystack(link) {
    link.haystack ??= [
      targetOf(link), link.finalUrl, link.suggestion, link.why, link.status, link.verdict, wordOf(link.verdict),
      ...link.sources.flatMap(({ page, text, href }) => [page, text, href]),
    ].join('\n').toLowerCase();
    return link.haystack;
  }

  function found() {
    const words = state.words.toLowerCase().split(/\s+/).filter((word) => word !== '');
    const inScope = SCOPES[state.scope][1];
    return links.filter(
      (link) =>
        inScope(link) &&
        (state.verdicts.size === 0 || state.verdicts.has(link.verdict)) &&
        words.every((word) => haystack(link).includes(word)),
    );
  }

  const compareText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const ORDERS = {
    worst: (a, b) => b.fails - a.fails || rank.get(a.verdict) - rank.get(b.verdict),
    url: (a, b) => compareText(targetOf(a), targetOf(b)),
    places: (a, b) => b.sourceCount - a.sourceCount,
    status: (a, b) => (a.status ?? 1000) - (b.status ?? 1000),
  };

  function pagesOf(some) {
    const pages = new Map();
    for (const link of some) {
      for (const source of link.sources.length === 0 ? [null] : link.sources) {
        const page = source === null ? '' : source.page;
        const entry = pages.get(page) ?? { page, failing: 0, rows: [] };
        entry.rows.push({ link, source });
        entry.failing += link.fails ? 1 : 0;
        pages.set(page, entry);
      }
    }
    const order = state.sort === 'url'
      ? (a, b) => compareText(a.page, b.page)
      : (a, b) => b.failing - a.failing || b.rows.length - a.rows.length || compareText(a.page, b.page);
    return [...pages.values()].sort(order);
  }

  // The list and its controls

  let entries = [];
  let makeEntry = targetEntry;

  function update() {
    const some = found();
    if (state.by === 'page') {
      entries = pagesOf(some);
      makeEntry = pageEntry;
    } else {
      entries = some.sort(ORDERS[state.sort]);
      makeEntry = targetEntry;
    }
    showControls();
    showList(some.length);
    remember();
  }

  function showList(count) {
    const last = Math.max(0, Math.ceil(entries.length / PAGE_LENGTH) - 1);
    state.page = Math.min(Math.max(0, state.page), last);
    const from = state.page * PAGE_LENGTH;
    const part = entries.slice(from, from + PAGE_LENGTH);
    byId('list').replaceChildren(...part.map(makeEntry));
    const pages = state.by === 'page' ? ' on ' + counted(entries.length, 'page', 'pages') : '';
    const more = leftOut > 0 ? '. ' + counted(leftOut, 'further link is', 'further links are') + ' not in this file' : '';
    byId('count').textContent = count === 0
      ? (links.length === 0 ? 'There is nothing to report.' : 'Nothing matches.')
      : counted(count, 'link', 'links') + pages + more;
    showPager(from, part.length, last);
  }

  function showPager(from, length, last) {
    const button = (name, label, page, enabled) =>
      element('button', { type: 'button', textContent: name, ariaLabel: label, disabled: !enabled, onclick: () => leaf(page) });
    byId('pager').replaceChildren(...(last === 0 ? [] : [
      button('«', 'First', 0, state.page > 0),
      button('‹ Back', 'Back', state.page - 1, state.page > 0),
      element('span', { textContent: figure(from + 1) + '–' + figure(from + length) + ' of ' + figure(entries.length) }),
      button('Next ›', 'Next', state.page + 1, state.page < last),
      button('»', 'Last', last, state.page < last),
    ]));
  }

  function leaf(page) {
    state.page = page;
    update();
    byId('count').scrollIntoView({ block: 'center' });
  }

  function pressed(name, isPressed, onclick, ...more) {
    const made = element('button', { type: 'button', onclick }, name, ...more);
    made.setAttribute('aria-pressed', String(isPressed));
    return made;
  }

  /** The buttons are made again, and the one that had the focus gets it back. */
  function refill(box, buttons) {
    const focused = [...box.children].indexOf(document.activeElement);
    box.replaceChildren(...buttons);
    box.children[focused]?.focus();
  }

  function showControls() {
    refill(byId('scope'), Object.entries(SCOPES).map(([name, [label]]) =>
      pressed(label, state.scope === name, () => change({ scope: name, verdicts: new Set() }))));
    const counts = new Map();
    for (const link of links.filter(SCOPES[state.scope][1])) {
      counts.set(link.verdict, (counts.get(link.verdict) ?? 0) + 1);
    }
    refill(byId('verdicts'), verdicts.filter((verdict) => counts.has(verdict)).map((verdict) => {
      const made = pressed(wordOf(verdict), state.verdicts.has(verdict), () => toggle(verdict), element('b', { textContent: figure(counts.get(verdict)) }));
      made.title = help[verdict].meaning;
      return made;
    }));
    const sorts = SORTS[state.by];
    byId('sort').replaceChildren(...Object.entries(sorts).map(([value, label]) => element('option', { value, textContent: label })));
    byId('sort').value = state.sort;
    byId('by').value = state.by;
    if (byId('search').value !== state.words) {
      byId('search').value = state.words;
    }
  }

  function toggle(verdict) {
    const next = new Set(state.verdicts);
    if (!next.delete(verdict)) {
      next.add(verdict);
    }
    change({ verdicts: next });
  }

  function change(some) {
    Object.assign(state, { page: 0 }, some);
    if (!(state.sort in SORTS[state.by])) {
      state.sort = 'worst';
    }
    update();
  }

  // What is looked at stands in the address, so that it can be kept and passed on

  function remember() {
    const { scope, words, by, sort, page } = state;
    const kept = new URLSearchParams({ scope, by, sort, page: page + 1 });
    if (state.verdicts.size > 0) kept.set('verdicts', [...state.verdicts].join(' '));
    if (words !== '') kept.set('words', words);
    try {
      history.replaceState(null, '', '#' + kept);
    } catch {
      // Some viewers of files allow no address of one's own.
    }
  }

  function recall() {
    const kept = new URLSearchParams(location.hash.slice(1));
    const one = (name, from) => (Object.hasOwn(from, kept.get(name) ?? '') ? kept.get(name) : null);
    const first = links.some(SCOPES.attention[1]) ? 'attention' : 'all';
    state.scope = one('scope', SCOPES) ?? first;
    state.by = one('by', SORTS) ?? 'target';
    state.sort = one('sort', SORTS[state.by]) ?? 'worst';
    state.verdicts = new Set((kept.get('verdicts') ?? '').split(' ').filter((verdict) => rank.has(verdict)));
    state.words = kept.get('words') ?? '';
    state.page = Math.max(0, (Number.parseInt(kept.get('page'), 10) || 1) - 1);
  }

  // Keys

  function step(by) {
    const heads = [...document.querySelectorAll('summary')];
    const at = heads.indexOf(document.activeElement);
    const next = heads[at === -1 ? (by > 0 ? 0 : heads.length - 1) : at + by];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  }

  function openAll() {
    const all = [...document.querySelectorAll('#list details')];
    const open = all.some((details) => !details.open);
    for (const details of all) {
      details.open = open;
    }
  }

  const KEYS = {
    '/': () => byId('search').focus(),
    j: () => step(1),
    k: () => step(-1),
    o: openAll,
    g: () => change({ by: state.by === 'page' ? 'target' : 'page' }),
    n: () => !document.querySelector('#pager button:last-child:disabled') && byId('pager').children.length > 0 && leaf(state.page + 1),
    p: () => state.page > 0 && leaf(state.page - 1),
    Escape: () => change({ words: '', verdicts: new Set() }),
  };

  document.addEventListener('keydown', (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    const act = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
    if (act === null || event.ctrlKey || event.metaKey || event.altKey || (typing && event.key !== 'Escape')) {
      return;
    }
    event.preventDefault();
    act();
    if (event.key === 'Escape') {
      document.activeElement?.blur();
    }
  });
  byId('search').addEventListener('input', () => change({ words: byId('search').value.trim() }));
  byId('by').addEventListener('change', () => change({ by: byId('by').value }));
  byId('sort').addEventListener('change', () => change({ sort: byId('sort').value }));
  addEventListener('hashchange', () => {
    recall();
    update();
  });
  addEventListener('beforeprint', () => {
    byId('list').replaceChildren(...entries.slice(0, PRINTED).map(makeEntry));
    for (const details of document.querySelectorAll('#list details')) {
      details.open = true;
      details.dispatchEvent(new Event('toggle'));
    }
    const rest = entries.length - PRINTED;
    if (rest > 0) {
      byId('list').append(element('li', { className: 'body', textContent: 'and ' + figure(rest) + ' more' }));
    }
  });
  addEventListener('afterprint', update);

  recall();
  update();
})();
`;
