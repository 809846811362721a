// Which sections have all the words of a query, the best first. A word may be the beginning of one; where it stands in a heading it counts more.
globalThis.searchSections = (sections, query) => {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
  if (words.length === 0) {
    return [];
  }
  const starts = words.map(
    (word) => new RegExp(`(?<![\\p{L}\\p{N}_])${word.replace(/^-+/, (dashes) => `(?:${dashes})`)}`, 'giu'),
  );
  const found = [];
  for (const section of sections) {
    let score = 0;
    for (const start of starts) {
      const inHeading = section.heading.match(start)?.length ?? 0;
      const inPage = section.page.match(start)?.length ?? 0;
      const inText = section.text.match(start)?.length ?? 0;
      if (inHeading + inPage + inText === 0) {
        score = -1;
        break;
      }
      score +=
        inHeading * 12 +
        inPage * 6 +
        Math.min(inText, 5) +
        (section.heading.toLowerCase() === query.trim().toLowerCase() ? 20 : 0);
    }
    if (score > 0) {
      const at = Math.max(0, section.text.search(starts[0]) - 40);
      // Those who look for a word want the page that tells of it before the lists in which everything stands.
      const weight = /^(?:api|changelog|decisions\/)/.test(section.url) ? 0.4 : 1;
      found.push({
        section,
        score: score * weight,
        excerpt: `${at > 0 ? '…' : ''}${section.text.slice(at, at + 160)}`,
      });
    }
  }
  return found.sort((a, b) => b.score - a.score);
};
