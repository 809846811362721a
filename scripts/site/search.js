// The search of the site. It has no dependency and asks nobody: the index is a script of the same folder, loaded when the search is first used.
(() => {
  const LIMIT = 12;
  const input = document.querySelector('#search');
  const list = document.querySelector('#found');
  const root = document.documentElement.dataset.root ?? '';
  let loading = null;
  let selected = -1;

  const load = () => {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `${root}search-index.js`;
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(script);
    });
    return loading;
  };

  async function show() {
    const query = input.value;
    await load();
    if (query !== input.value) {
      return;
    }
    selected = -1;
    const found = globalThis.searchSections(globalThis.SECTIONS, query).slice(0, LIMIT);
    list.replaceChildren(...found.map(entry));
    list.hidden = query.trim() === '';
    if (found.length === 0) {
      const none = document.createElement('li');
      none.className = 'none';
      none.textContent = 'Nothing has all of these words.';
      list.append(none);
    }
  }

  function entry({ section, excerpt }) {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = root + section.url;
    const title = document.createElement('strong');
    title.textContent = section.heading === section.page ? section.page : `${section.page} › ${section.heading}`;
    const text = document.createElement('span');
    text.textContent = excerpt;
    link.append(title, text);
    item.append(link);
    return item;
  }

  function select(step) {
    const links = [...list.querySelectorAll('a')];
    selected = Math.max(-1, Math.min(links.length - 1, selected + step));
    for (const [i, link] of links.entries()) {
      link.classList.toggle('selected', i === selected);
    }
    links[selected]?.scrollIntoView({ block: 'nearest' });
  }

  input.addEventListener('focus', load);
  input.addEventListener('input', show);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      select(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter') {
      (list.querySelector('a.selected') ?? list.querySelector('a'))?.click();
    } else if (event.key === 'Escape') {
      list.hidden = true;
      input.blur();
    }
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !/^(?:INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')) {
      event.preventDefault();
      input.focus();
    }
  });
  document.addEventListener('click', (event) => {
    if (!event.target.closest('.search')) {
      list.hidden = true;
    }
  });
})();
