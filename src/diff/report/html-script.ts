/**
 * The script of the HTML report of a comparison: what is listed, the controls, the keys. Elements are made one by one and filled with text; nothing
 * is ever parsed as markup.
 */
export const DIFF_SCRIPT = String.raw`'use strict';
(() => {
  const PAGE_LENGTH = 100;
  const PRINTED = 2000;
  const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
  const byId = (id) => document.getElementById(id);
  const changes = JSON.parse(byId('changes').textContent);
  const { aspects, words, leftOut } = JSON.parse(byId('facts').textContent);
  const isFinding = (change) => change.rule !== undefined;
  const SORTS = {
    all: ['All', () => true],
    added: ['Added', ({ change }) => change === 'added'],
    removed: ['Removed', ({ change }) => change === 'removed'],
    changed: ['Changed', ({ change }) => change === 'changed'],
    findings: ['Findings', isFinding],
  };
  const LOOKS = { added: 'good', removed: 'bad', changed: 'warn', came: 'bad', went: 'good' };
  const state = { sort: 'all', aspects: new Set(), words: '', page: 0 };
  let listed = [];

  function element(name, properties, ...children) {
    const made = document.createElement(name);
    Object.assign(made, properties);
    made.append(...children.filter((child) => child !== null));
    return made;
  }

  const shown = (text) => String(text).replace(UNSEEN, '\ufffd');
  const figure = (count) => count.toLocaleString('en-US');
  const counted = (count, one, many) => figure(count) + ' ' + (count === 1 ? one : many);
  const aspectsOf = (change) => aspects.filter((aspect) => change.differences?.[aspect] !== undefined);
  /** What can be chosen by: aspects of a page, the rule of a finding. */
  const topicsOf = (change) => isFinding(change) ? [change.rule] : aspectsOf(change);
  const topicWords = (topic) => words[topic] ?? topic.replaceAll('_', ' ');

  /** Only http and https can be followed. */
  function reference(url) {
    return /^https?:\/\//i.test(url)
      ? element('a', { href: url, rel: 'noreferrer noopener', target: '_blank', textContent: shown(url) })
      : document.createTextNode(shown(url));
  }

  function entry(change) {
    const badge = element('span', { className: 'badge ' + LOOKS[change.change], textContent: change.change });
    const meta = isFinding(change)
      ? change.rule.replaceAll('_', ' ') + ' · ' + change.severity
      : change.change === 'changed' ? aspectsOf(change).map((aspect) => words[aspect]).join(' · ') : change.status;
    const details = element('details', {},
      element('summary', {}, badge,
        element('span', { className: 'url', textContent: shown(change.url), title: shown(change.url) }),
        element('span', { className: 'meta', textContent: meta })));
    details.addEventListener('toggle', () => {
      if (details.open && details.children.length === 1) {
        details.append(body(change));
      }
    });
    return element('li', {}, details);
  }

  function body(change) {
    const rows = [
      ['Page', reference(change.url)],
      ['Called before', change.oldUrl ? reference(change.oldUrl) : null],
      ['Status', change.status && change.differences?.status === undefined ? change.status : null],
      ['Title', change.title && change.differences?.title === undefined ? change.title : null],
      ['Leads to', change.target ? reference(change.target) : null],
      ['Why', change.detail ?? null],
      ...aspectsOf(change).map((aspect) => [words[aspect], difference(aspect, change.differences[aspect])]),
    ];
    const list = element('dl', {});
    for (const [name, value] of rows) {
      if (value !== null) {
        const said = typeof value === 'string' ? shown(value) : value;
        list.append(element('dt', { textContent: name[0].toUpperCase() + name.slice(1) }), element('dd', {}, said));
      }
    }
    return element('div', { className: 'body' }, list);
  }

  function difference(aspect, value) {
    if (value.addedCount !== undefined) {
      return links(value);
    }
    if (aspect === 'content') {
      return 'other bytes than before';
    }
    const part = document.createDocumentFragment();
    part.append(
      element('del', { textContent: value.before === null ? 'none' : shown(value.before) }), ' → ',
      element('ins', { textContent: value.after === null ? 'none' : shown(value.after) }));
    return part;
  }

  function links({ added, removed, addedCount, removedCount }) {
    const items = [...added.map((url) => ['came', url]), ...removed.map((url) => ['went', url])];
    const rest = addedCount + removedCount - items.length;
    return element('div', {},
      element('div', { className: 'help', textContent: figure(addedCount) + ' came, ' + figure(removedCount) + ' went' }),
      element('ul', { className: 'urls' }, ...items.map(([className, url]) => element('li', { className }, reference(url)))),
      rest > 0 ? element('div', { className: 'help', textContent: 'and ' + figure(rest) + ' more' }) : null);
  }

  function haystack(change) {
    change.haystack ??= JSON.stringify(change).toLowerCase();
    return change.haystack;
  }

  function update() {
    const wanted = state.words.toLowerCase().split(/\s+/).filter((word) => word !== '');
    listed = changes.filter((change) =>
      SORTS[state.sort][1](change) &&
      (state.aspects.size === 0 || topicsOf(change).some((topic) => state.aspects.has(topic))) &&
      wanted.every((word) => haystack(change).includes(word)));
    showControls();
    showList();
  }

  function showList() {
    const last = Math.max(0, Math.ceil(listed.length / PAGE_LENGTH) - 1);
    state.page = Math.min(Math.max(0, state.page), last);
    const from = state.page * PAGE_LENGTH;
    const part = listed.slice(from, from + PAGE_LENGTH);
    byId('list').replaceChildren(...part.map(entry));
    const more = leftOut > 0 ? '. ' + counted(leftOut, 'further change is', 'further changes are') + ' not in this file' : '';
    byId('count').textContent = listed.length === 0
      ? (changes.length === 0 ? 'There is nothing to report.' : 'Nothing matches.')
      : counted(listed.length, 'change', 'changes') + more;
    const button = (name, label, page, enabled) =>
      element('button', { type: 'button', textContent: name, ariaLabel: label, disabled: !enabled, onclick: () => leaf(page) });
    byId('pager').replaceChildren(...(last === 0 ? [] : [
      button('‹ Back', 'Back', state.page - 1, state.page > 0),
      element('span', { textContent: figure(from + 1) + '–' + figure(from + part.length) + ' of ' + figure(listed.length) }),
      button('Next ›', 'Next', state.page + 1, state.page < last),
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
    refill(byId('sorts'), Object.entries(SORTS).map(([sort, [label, isOf]]) =>
      pressed(label + ' ' + figure(changes.filter(isOf).length), state.sort === sort, () => change({ sort, aspects: new Set() }))));
    const counts = new Map();
    for (const each of changes.filter(SORTS[state.sort][1])) {
      for (const topic of topicsOf(each)) {
        counts.set(topic, (counts.get(topic) ?? 0) + 1);
      }
    }
    refill(byId('aspects'), [...aspects.filter((aspect) => counts.has(aspect)), ...[...counts.keys()].filter((topic) => !aspects.includes(topic))].map((topic) =>
      pressed(topicWords(topic), state.aspects.has(topic), () => toggle(topic), element('b', { textContent: figure(counts.get(topic)) }))));
  }

  function change(to) {
    Object.assign(state, to, { page: 0 });
    byId('search').value = state.words;
    update();
  }

  function toggle(aspect) {
    const chosen = new Set(state.aspects);
    if (!chosen.delete(aspect)) {
      chosen.add(aspect);
    }
    change({ aspects: chosen });
  }

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
    n: () => (state.page + 1) * PAGE_LENGTH < listed.length && leaf(state.page + 1),
    p: () => state.page > 0 && leaf(state.page - 1),
    Escape: () => change({ words: '', aspects: new Set() }),
  };

  document.addEventListener('keydown', (event) => {
    const typing = event.target instanceof HTMLInputElement;
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
  addEventListener('beforeprint', () => {
    byId('list').replaceChildren(...listed.slice(0, PRINTED).map(entry));
    for (const details of document.querySelectorAll('#list details')) {
      details.open = true;
      details.dispatchEvent(new Event('toggle'));
    }
    if (listed.length > PRINTED) {
      byId('list').append(element('li', { className: 'body', textContent: 'and ' + figure(listed.length - PRINTED) + ' more' }));
    }
  });
  addEventListener('afterprint', update);

  update();
})();
`;
