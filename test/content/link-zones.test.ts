import { describe, expect, it } from 'vitest';
import { LinkZone, linkZones } from '../../src/content/link-zones.js';

const { contents, navigation, content, footer } = LinkZone;

describe('where a link stands', () => {
  it.each([
    ['<a href="x">', content],
    ['<nav><a href="x"></nav>', navigation],
    ['<nav></nav><a href="x">', content],
    ['<header><a href="x"></header>', navigation],
    ['<footer><p><a href="x"></footer>', footer],
    ['<div role="contentinfo"><div></div><a href="x"></div>', footer],
    ['<div role="contentinfo"><div></div></div><a href="x">', content],
    ['<div class="sphinxsidebar"><div><div></div><a href="x"></div></div>', contents],
    ['<ol class="chapter"><li><a href="x">', contents],
    ['<nav id="TOC"><ul><li><a href="x">', contents],
    ['<aside class="VPSidebar"><nav><a href="x">', navigation],
    ['<div class="toctree-wrapper"><ul><li><a href="x"></ul></div>', contents],
    // An id that only begins so: a section about protocols is no table of contents.
    ['<section id="protocol-stock"><a href="x">', content],
    ['<nav><main><a href="x"></main></nav>', content],
    ['<footer><div class="toc"><a href="x">', contents],
    ['<img class="toc"><br><a href="x">', content],
    ['<div class="toc"/><a href="x">', content],
    ['</nav></footer><a href="x">', content],
  ])('%s', (html, zone) => {
    expect(linkZones(html).best('x')).toBe(zone);
  });

  it('counts the best place of an address, and each one in its turn', () => {
    const zones = linkZones('<footer><a href="a&amp;b"></footer><a href="a&amp;b"><nav><a href="a&amp;b"></nav>');
    expect(zones.best('a&b')).toBe(navigation);
    expect([1, 2, 3, 4].map(() => zones.next('a&b'))).toEqual([footer, content, navigation, content]);
    expect(zones.best('unknown')).toBe(content);
  });

  it('stays within bounds', () => {
    const nested = '<nav><footer>'.repeat(100_000);
    expect(linkZones(`${nested}<a href="x">`).best('x')).toBe(footer);
    expect(linkZones(`<div class="${'toc '.repeat(1_000)}"><a href="x">`).best('x')).toBe(content);
  });
});
