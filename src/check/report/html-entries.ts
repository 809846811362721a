/**
 * The part of the report's script that shows links and pages. Elements are made one by one and filled with text; nothing is ever parsed as
 * markup. It stands inside the script, which has read `help` and `SCOPES` before.
 */
export const ENTRIES_SCRIPT = String.raw`
  const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

  function element(name, properties, ...children) {
    const made = document.createElement(name);
    Object.assign(made, properties);
    made.append(...children.filter((child) => child !== null));
    return made;
  }

  const shown = (text) => String(text).replace(UNSEEN, '\ufffd');
  const figure = (count) => count.toLocaleString('en-US');
  const counted = (count, one, many) => figure(count) + ' ' + (count === 1 ? one : many);
  const targetOf = (link) => (link.fragment === null ? link.url : link.url + '#' + link.fragment);
  const wordOf = (verdict) => verdict.replaceAll('_', ' ');

  /** Only http and https can be followed. */
  function reference(url, label = url) {
    if (!/^https?:\/\//i.test(url)) {
      return document.createTextNode(shown(url));
    }
    return element('a', { href: url, rel: 'noreferrer noopener', target: '_blank', textContent: shown(label) });
  }

  function badge(link) {
    const weight = { attention: 'warn', note: 'note', fine: 'mute' }[help[link.verdict].weight];
    return element('span', { className: 'badge ' + (link.fails ? 'bad' : weight), textContent: wordOf(link.verdict) });
  }

  const placeOf = ({ line, column }) => (line === null ? '' : column === null ? line : line + ':' + column);

  function entry(first, title, meta, body) {
    const details = element('details', {},
      element('summary', {},
        first,
        element('span', { className: 'url', textContent: shown(title), title: shown(title) }),
        element('span', { className: 'meta', textContent: meta })));
    details.addEventListener('toggle', () => {
      if (details.open && details.children.length === 1) {
        details.append(body());
      }
    });
    return element('li', {}, details);
  }

  function targetEntry(link) {
    const meta = [link.status, link.external ? 'external' : null, counted(link.sourceCount, 'place', 'places')];
    return entry(badge(link), targetOf(link), meta.filter((part) => part !== null).join(' · '), () => linkBody(link));
  }

  function pageEntry({ page, failing, rows }) {
    const [weight, label] = failing > 0
      ? ['bad', figure(failing) + ' failing']
      : rows.some(({ link }) => SCOPES.attention[1](link)) ? ['warn', 'to look at'] : ['note', 'works'];
    const first = element('span', { className: 'badge ' + weight, textContent: label });
    return entry(first, page === '' ? 'not listed on any page' : page, counted(rows.length, 'link', 'links'), () => pageBody(page, rows));
  }

  function linkBody(link) {
    const { meaning, advice } = help[link.verdict];
    return element('div', { className: 'body' },
      element('p', { className: 'help', textContent: meaning + ' ' + advice }),
      facts([
        ['Link', reference(targetOf(link))],
        ['Why', link.why],
        [link.verdict === 'dead' || link.verdict === 'dns' ? 'Archived copy' : 'Write instead', link.suggestion && reference(link.suggestion)],
        ['Ends at', link.finalUrl && link.finalUrl !== link.url ? reference(link.finalUrl) : null],
        ['Known since', link.firstSeen],
        ['Redirects', link.chain.length > 0 ? lines(link.chain.map(({ url, status }) => (status ?? '–') + ' ' + url)) : null],
        ['Requests', link.looks.length > 0 ? lines(link.looks.map(lookOf)) : null],
        ['Headers', link.headers.length > 0 ? lines(link.headers.map(([name, value]) => name + ': ' + value)) : null],
      ]),
      link.sources.length > 0 ? sourceTable(link) : null);
  }

  const lookOf = ({ at, status, error, message }) =>
    [at, status, error, message].filter((part) => part !== null).join(' · ');

  function facts(rows) {
    const list = element('dl', {});
    for (const [name, value] of rows) {
      if (value !== null && value !== '') {
        list.append(
          element('dt', { textContent: name }),
          element('dd', {}, typeof value === 'string' ? shown(value) : value));
      }
    }
    return list;
  }

  function lines(texts) {
    const part = document.createDocumentFragment();
    texts.forEach((text, place) => {
      part.append(...(place === 0 ? [] : [document.createElement('br')]), shown(text));
    });
    return part;
  }

  function table(heads, rows) {
    return element('table', {},
      element('thead', {}, element('tr', {}, ...heads.map(([name, className]) => element('th', { scope: 'col', textContent: name, className })))),
      element('tbody', {}, ...rows.map((cells) =>
        element('tr', {}, ...cells.map((cell, place) => element('td', { className: heads[place][1] }, cell))))));
  }

  function sourceTable(link) {
    const rows = link.sources.map((source) => {
      const where = element('span', { title: shown(source.selector ?? '') }, String(placeOf(source)));
      return [reference(source.page), where, shown(source.text), element('code', { textContent: shown(source.href) })];
    });
    const rest = link.sourceCount - link.sources.length;
    return element('div', {},
      table([['On', ''], ['Line', 'place'], ['Text', 'words'], ['As written', 'written']], rows),
      rest > 0 ? element('p', { className: 'help', textContent: 'and in ' + counted(rest, 'other place', 'other places') }) : null);
  }

  function pageBody(page, rows) {
    const cells = rows.map(({ link, source }) => [
      badge(link), reference(targetOf(link)), source === null ? '' : String(placeOf(source)), shown(source === null ? '' : source.text),
    ]);
    return element('div', { className: 'body' },
      /^https?:/i.test(page) ? element('p', {}, reference(page, 'Open the page ↗')) : null,
      table([['Verdict', 'kind'], ['Link', ''], ['Line', 'place'], ['Text', 'words']], cells));
  }
`;
