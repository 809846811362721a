/** The script of the HTML report of an audit. Elements are made one by one and filled with text; nothing is ever parsed as markup. */
export const AUDIT_SCRIPT = String.raw`'use strict';
(() => {
  const STEP = 50;
  const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
  const byId = (id) => document.getElementById(id);
  const findings = JSON.parse(byId('findings').textContent);
  const { gaps, passed } = JSON.parse(byId('rest').textContent);
  const LOOKS = { error: 'bad', warning: 'warn', notice: 'note' };
  const state = { severity: 'all', words: '' };

  function element(name, properties, ...children) {
    const made = document.createElement(name);
    Object.assign(made, properties);
    made.append(...children.filter((child) => child !== null));
    return made;
  }
  const shown = (text) => String(text).replace(UNSEEN, '\ufffd');
  const figure = (count) => count.toLocaleString('en-US');

  /** Only http and https can be followed. */
  function reference(url) {
    return /^https?:\/\//i.test(url)
      ? element('a', { href: url, rel: 'noreferrer noopener', target: '_blank', textContent: shown(url) })
      : document.createTextNode(shown(url));
  }

  const haystack = ({ url, target, detail, text }) => [url, target, detail, text].join('\n').toLowerCase();
  const wordsOf = () => state.words.toLowerCase().split(/\s+/).filter((word) => word !== '');

  function matching({ finding, places }) {
    const words = wordsOf();
    const title = finding.title.toLowerCase() + ' ' + finding.rule;
    return words.length === 0 || words.every((word) => title.includes(word))
      ? places
      : places.filter((place) => words.every((word) => haystack(place).includes(word)));
  }

  function cell(className, child) {
    return element('td', { className }, child === null ? '' : child);
  }

  function row(has, { url, target, detail, text, times }) {
    return element('tr', {},
      cell('page', reference(url)),
      has.target ? cell('', target === null ? null : reference(target)) : null,
      has.detail ? cell(has.target ? 'what' : '', detail === null ? null : shown(detail)) : null,
      has.text ? cell('said', text === null ? null : shown(text)) : null,
      has.times ? cell('times', times > 1 ? figure(times) + '×' : null) : null);
  }

  function table(finding, places) {
    const has = {
      target: places.some(({ target }) => target !== null),
      detail: places.some(({ detail }) => detail !== null),
      text: places.some(({ text }) => text !== null),
      times: places.some(({ times }) => times > 1),
    };
    const body = element('tbody', {}, ...places.slice(0, STEP).map((place) => row(has, place)));
    const head = element('thead', {}, element('tr', {},
      element('th', { className: 'page', textContent: 'page' }),
      has.target ? element('th', { textContent: 'leads to' }) : null,
      has.detail ? element('th', { className: has.target ? 'what' : '', textContent: 'what' }) : null,
      has.text ? element('th', { className: 'said', textContent: 'text' }) : null,
      has.times ? element('th', { className: 'times', textContent: 'times' }) : null));
    const made = element('table', {}, head, body);
    const more = element('p', { className: 'more' });
    const update = () => {
      const left = places.length - body.children.length;
      const beyond = finding.count - places.length;
      more.replaceChildren(...[
        left > 0 ? element('button', { type: 'button', textContent: 'Show ' + figure(Math.min(left, STEP * 4)) + ' more of ' + figure(left), onclick: add }) : null,
        left === 0 && beyond > 0 && state.words === '' ? document.createTextNode('and ' + figure(beyond) + ' more, which are in the JSON and CSV reports') : null,
      ].filter((child) => child !== null));
    };
    const add = () => {
      const from = body.children.length;
      body.append(...places.slice(from, from + STEP * 4).map((place) => row(has, place)));
      update();
    };
    update();
    return [made, more];
  }

  function entry({ finding, places }) {
    const details = element('details', {},
      element('summary', {},
        element('span', { className: 'badge ' + LOOKS[finding.severity], textContent: finding.severity }),
        element('span', { className: 'url', textContent: finding.title }),
        element('span', { className: 'meta', textContent: finding.counted + (finding.fails ? ' · fails' : '') })));
    details.addEventListener('toggle', () => {
      if (details.open && details.children.length === 1) {
        details.append(element('div', { className: 'body' },
          element('p', { className: 'why', textContent: finding.why }),
          element('p', { className: 'help', textContent: finding.advice + ' (' + finding.rule + ')' }),
          ...table(finding, places)));
      }
    });
    return element('li', {}, details);
  }

  function update() {
    const some = findings
      .filter(({ finding }) => state.severity === 'all' || finding.severity === state.severity)
      .map(({ finding, places }) => ({ finding, places: matching({ finding, places }) }))
      .filter(({ places }) => places.length > 0);
    byId('list').replaceChildren(...some.map(entry));
    byId('count').textContent = findings.length === 0
      ? 'No rule has found anything.'
      : some.length === 0 ? 'Nothing matches.' : figure(some.length) + (some.length === 1 ? ' kind of finding' : ' kinds of findings');
    const focused = [...byId('severities').children].indexOf(document.activeElement);
    byId('severities').replaceChildren(...['all', 'error', 'warning', 'notice'].map((severity) => {
      const made = element('button', { type: 'button', textContent: severity === 'all' ? 'All' : severity[0].toUpperCase() + severity.slice(1) + 's', onclick: () => change({ severity }) });
      made.setAttribute('aria-pressed', String(state.severity === severity));
      return made;
    }));
    byId('severities').children[focused]?.focus();
  }

  function change(some) {
    Object.assign(state, some);
    if (byId('search').value.trim() !== state.words) byId('search').value = state.words;
    update();
  }

  function showRest() {
    if (gaps.length > 0) {
      byId('gaps').append(
        element('h2', { textContent: 'Not answered' }),
        element('ul', { className: 'gaps' }, ...gaps.map(({ title, reason, rule, isWhole }) =>
          element('li', {}, title + (isWhole ? ': ' : ', in part: ') + shown(reason) + ' ', element('span', { className: 'id', textContent: rule })))));
    }
    if (passed.length > 0) {
      byId('passed').append(
        element('h2', { textContent: 'Nothing found' }),
        element('p', { className: 'passed', textContent: passed.map(({ title }) => title).join(' · ') }));
    }
  }

  function step(by) {
    const heads = [...document.querySelectorAll('summary')];
    const at = heads.indexOf(document.activeElement);
    const next = heads[at === -1 ? (by > 0 ? 0 : heads.length - 1) : at + by];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  }

  function openAll(open) {
    for (const details of document.querySelectorAll('#list details')) {
      details.open = open;
    }
  }

  const KEYS = {
    '/': () => byId('search').focus(),
    j: () => step(1),
    k: () => step(-1),
    o: () => openAll([...document.querySelectorAll('#list details')].some((details) => !details.open)),
    Escape: () => change({ words: '', severity: 'all' }),
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
  addEventListener('beforeprint', () => openAll(true));
  showRest();
  update();
})();
`;
